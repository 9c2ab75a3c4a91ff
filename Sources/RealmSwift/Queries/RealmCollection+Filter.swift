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
  /// `$0` for arguments by number, `@links.Class.property` for the objects that link here, and
  /// - `SORT(…)`, `DISTINCT(…)`, `LIMIT(…)` and `OFFSET(…)`, which apply in their order and may
  ///   stand alone;
  /// - lists on both sides, with `ANY`, `ALL` and `NONE` before them;
  /// - `+`, `-`, `*`, `/` and `%%`, the remainder, between numbers;
  /// - `map['key']`, `list[0]`, `list[LAST]`, and `any[0]['key'].@type` within values of any type;
  /// - literals such as `oid(…)`, `uuid(…)`, `B64'…'`, `obj(Class, key)`, `2020-02-28`,
  ///   `2020-02-28@13:05:00`, `2020-02-28T13:05:00.5+02:00`, `T1600000000:0` and
  ///   `geoCircle([longitude, latitude], radians)`.
  ///
  /// `[c]` and `[d]` after an operator disregard case and marks, after `IN` too. In patterns of
  /// `LIKE`, `?`, `*` and `\` represent themselves after a `\`. `self` is the element, and `#name`
  /// a property with the name of a keyword. The results are live.
  ///
  /// Objects among the arguments may be of this realm, or of a frozen one of the same file.
  ///
  /// Traps if the string cannot be read, with the column and what was expected there; if
  /// it does not fit the properties of the class; if an argument is missing, or is an object of
  /// another file; and for a collection that no realm manages.
  ///
  /// - Parameters:
  ///   - predicateFormat: The query.
  ///   - args: The values of `%@`, `%d` and so on, in their order, and of `%K`, which is a key
  ///     path. `BETWEEN %@` and `IN %@` take arrays, sets, collections of a realm, and ranges.
  public func filter(_ predicateFormat: String, _ args: Any...) -> Results<Element> {
    _resultsSource.filtered(by: predicateFormat, args)
  }

  /// The elements that match a predicate, which must have been made from a format or a truth, or be
  /// a compound of such.
  ///
  /// Traps as `filter(_:_:)` does, and for other predicates.
  public func filter(_ predicate: NSPredicate) -> Results<Element> {
    _resultsSource.filtered(by: predicate)
  }

  /// The position of the first element that matches a query string; nil if there is none.
  public func index(matching predicateFormat: String, _ args: Any...) -> Int? {
    firstPosition { $0.filtered(by: predicateFormat, args) }
  }

  /// The position of the first element that matches a predicate; nil if there is none.
  public func index(matching predicate: NSPredicate) -> Int? {
    firstPosition { $0.filtered(by: predicate) }
  }
}
