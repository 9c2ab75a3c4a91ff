// SPDX-License-Identifier: Apache-2.0

// Leaving elements out by what came before them, and by their positions.

import RealmQuery
import RealmSession

extension RealmCollection {
  /// The elements without those whose values of the named properties equal those of one before
  /// them.
  ///
  /// ```swift
  /// let newest = items.sorted(byKeyPath: "date", ascending: false).distinct(by: ["owner.name"])
  /// ```
  /// Filters, orders and `distinct` apply in the sequence in which they are asked for: the first
  /// element in the present order stays. Key paths may be what `sorted(byKeyPath:ascending:)`
  /// takes; in a collection of values the only one is `self`. Objects for which a link on a key
  /// path is nil are left out.
  ///
  /// Traps if a key path does not lead to a value.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == String {
    _resultsSource.distinct(by: Array(keyPaths))
  }

  /// The first elements, at most `count`. What is filtered or sorted afterwards is these.
  ///
  /// - Precondition: `count` is not negative.
  public func limit(_ count: Int) -> Results<Element> {
    guard count >= 0 else { throwRealmException("Cannot pass a negative value for 'limit'.") }
    return _resultsSource.cut(.limit(count))
  }

  /// The elements without the first `count`.
  ///
  /// - Precondition: `count` is not negative.
  public func offset(_ count: Int) -> Results<Element> {
    guard count >= 0 else { throwRealmException("Cannot pass a negative value for 'offset'.") }
    return _resultsSource.cut(.offset(count))
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects without those whose values of some properties equal those of one before them; see
  /// `distinct(by:)` of names.
  public func distinct<S: Sequence>(by keyPaths: S) -> Results<Element>
  where S.Element == PartialKeyPath<Element> {
    distinct(by: keyPaths.map { _name(for: $0) })
  }
}

extension RealmCollection where Element: _HasPersistedType, Element.PersistedType: SortableType {
  /// Each of the values once, where it comes first.
  public func distinct() -> Results<Element> { distinct(by: ["self"]) }
}
