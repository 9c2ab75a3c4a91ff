// SPDX-License-Identifier: Apache-2.0

// Finding elements of a list that no realm has: by the same queries, so that they mean the same.
//
// The elements are asked one after the other. An object is copied with what it links to to a
// database in memory, in a transaction that is undone; a value is asked as it is.

import Foundation
import RealmQuery
import RealmSession
import RealmStorage

extension RealmCollection {
  /// The position of the first element that is among the results that `filter` makes of the
  /// collection; nil if there is none.
  func firstPosition(_ filter: (_ResultsSource) -> Results<Element>) -> Int? {
    let base: any RealmCollection<Element> = (self as? AnyRealmCollection<Element>)?.base ?? self
    guard realm == nil, let list = base as? List<Element> else {
      return filter(_resultsSource).first.flatMap { index(of: $0) }
    }
    return UnmanagedSearch(Element.self).firstPosition(in: list, filter)
  }
}

/// A search in a list that no realm has.
private struct UnmanagedSearch<Element: RealmCollectionValue> {
  private let core: RealmCore
  /// The class of the elements; nil if they are values.
  private let info: ClassInfo?

  init(_ type: Element.Type) {
    let model = Element._wrapsObject ? nil : Element._shape.linkedClass
    let configuration = Realm.Configuration(
      inMemoryIdentifier: "search-\(UUID().uuidString)",
      objectTypes: model.map(UnmanagedSearch.reachableClasses) ?? [])
    let core = UnmanagedSearch.core(configuration)
    self.core = core
    info = model.map { core.classes[$0] }
  }

  private static func core(_ configuration: Realm.Configuration) -> RealmCore {
    do throws(Realm.Error) {
      return try RealmOpener(configuration).open(.thread(.current))
    } catch { throwRealmException("A list could not be searched: \(error.localizedDescription)") }
  }

  /// The class and all that its links lead to.
  private static func reachableClasses(_ model: ObjectBase.Type) -> [ObjectBase.Type] {
    var found: [ObjectBase.Type] = [model]
    var next = 0
    while next < found.count {
      for property in ModelSchema.of(found[next]).properties {
        guard let linked = property.shape.linkedClass, !found.contains(where: { $0 == linked })
        else { continue }
        found.append(linked)
      }
      next += 1
    }
    return found
  }

  func firstPosition(
    in list: List<Element>, _ filter: (_ResultsSource) -> Results<Element>
  ) -> Int? {
    let source = _ResultsSource(ResultsState(.table, core, info), isOfValues: info == nil)
    let results = filter(source)
    for (index, element) in list.enumerated()
    where core.reading(
      try matches(element, results.state), else: false)
    {
      return index
    }
    return nil
  }

  private func matches(_ element: Element, _ results: ResultsState) throws(StorageError) -> Bool {
    guard let info, let object = modelObject(element) else {
      let value = Element._encode(element, _RealmContext(core)).value
      return try trappingMistakes(!results.query.values(among: [value]).isEmpty)
    }
    try core.beginWrite()
    defer { core.cancelWrite() }
    let copy = core.objects.copy(object, info)
    return try unsafe results.contents().keys().contains(copy._key)
  }
}
