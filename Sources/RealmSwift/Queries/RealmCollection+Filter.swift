// SPDX-License-Identifier: Apache-2.0

// Filtering by query strings and by `NSPredicate`.

public import Foundation

extension RealmCollection {
  /// The elements that match a query string.
  ///
  /// ```swift
  /// people.filter("age > %@ AND ANY dogs.name BEGINSWITH[c] %@", 21, "Re")
  /// people.filter("SUBQUERY(dogs, $dog, $dog.age > 3).@count > 1 SORT(name ASC)")
  /// ```
  ///
  /// The language is that of `NSPredicate(format:)`, with what Realm Query Language adds to it:
  /// `$0` for arguments by number, `@links.Class.property` for the objects that link here,
  /// `SORT(…)`, `DISTINCT(…)` and `LIMIT(…)`, which apply in their order, lists on both sides with
  /// `ANY`, `ALL` and `NONE` before them, and literals such as `oid(…)`, `uuid(…)`,
  /// `obj(Class, key)`, `geoCircle([longitude, latitude], radians)` and `2020-02-28@13:05:00`.
  /// `self` is the element.
  /// The results are live.
  ///
  /// Ends the process if the string cannot be read, with the column and what was expected there; if
  /// it does not fit the properties of the class; and for a collection that no realm manages.
  ///
  /// - Parameters:
  ///   - predicateFormat: The query.
  ///   - args: What stands for `%@`, `%d` and so on, in their order, and for `%K`.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
    _resultsSource.filtered(by: predicateFormat, args)
  }

  /// The elements that match a predicate, which must have been made from a format, or be a compound
  /// of such.
  ///
  /// Ends the process as `filter(_:_:)` does, and for other predicates.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    _resultsSource.filtered(by: predicate)
  }

  /// The position of the first element that matches a query string; nil if there is none.
  public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
    let found: Results<Element> = _resultsSource.filtered(by: predicateFormat, args)
    return found.first.flatMap { index(of: $0) }
  }

  /// The position of the first element that matches a predicate; nil if there is none.
  public func index(matching predicate: NSPredicate) -> Int? {
    filter(predicate).first.flatMap { index(of: $0) }
  }
}
