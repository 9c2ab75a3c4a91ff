// SPDX-License-Identifier: Apache-2.0

// Classes and values for binding, without a realm and without model classes.

import RealmTables

@testable import RealmQuery

/// People, their dogs, and an embedded position.
struct PlainSchema: QuerySchema {
  /// A class by its properties.
  final class Class: QueryClass {
    let className: String
    var properties: [String: QueryProperty] = [:]

    init(_ className: String) { self.className = className }

    var queryPropertyNames: [String] { properties.keys.sorted() }

    func queryProperty(named name: String) -> QueryProperty? { properties[name] }

    func add(
      _ name: String, _ type: ColumnType, _ collection: CollectionKind = .none,
      to target: Class? = nil, column: String? = nil
    ) {
      properties[name] = QueryProperty(
        columnName: column ?? name, type: type, collection: collection, target: target)
    }
  }

  /// An object of the realm, or of none.
  struct Thing {
    let className: String
    var key: Int64?
  }

  /// An embedded object that no realm has.
  struct Spot {
    let street: String
    let number: Int
  }

  /// A value that queries cannot compare.
  struct Foreign {}

  let person = Class("Person")
  let dog = Class("Dog")
  private let spot = Class("Spot")

  init() {
    person.add("name", .string)
    person.add("age", .int, column: "years")
    person.add("isOpen", .bool)
    person.add("data", .binary)
    person.add("height", .decimal)
    person.add("any", .mixed)
    person.add("best", .link, to: person)
    person.add("dogs", .link, .list, to: dog)
    person.add("tags", .string, .list)
    person.add("marks", .int, .set)
    person.add("prices", .int, .dictionary)
    person.add("friends", .link, .dictionary, to: person)
    person.add("home", .link, to: spot)
    person.add("homes", .link, .list, to: spot)
    dog.add("name", .string)
    dog.add("age", .int)
    dog.add("owners", .backlink, to: person, column: "@links.Person.dogs")
    dog.add("toys", .string, .list)
    spot.add("street", .string)
    spot.add("number", .int)
  }

  func queryClass(named name: String) -> (any QueryClass)? {
    [person, dog, spot].first { $0.className == name }
  }

  func constant(_ value: Any) throws(QueryError) -> QueryConstant? {
    switch value {
    case let number as Int: .value(.int(Int64(number)))
    case let number as Double: .value(.double(number))
    case let text as String: .value(.string(text))
    case let truth as Bool: .value(.bool(truth))
    case let thing as Thing:
      .object(
        className: thing.className,
        thing.key.map { .typedLink(TableKey(1), ObjectKey($0)) })
    case let spot as Spot: .members([("street", spot.street), ("number", spot.number)])
    case let list as [Any?]:
      .collection(
        type: "list", elements: list.enumerated().map { (.index($0.offset), $0.element as Any) },
        stored: nil)
    case Optional<Any>.none: .value(.null)
    default: nil
    }
  }

  func argument(_ value: Any) throws(QueryError) -> QueryConstant? {
    if let range = QueryRange(value) { return .range(range) }
    if let values = value as? [Any] { return .list { values } }
    return try constant(value)
  }

  func decimal(_ digits: String) -> TableValue? { .string("decimal \(digits)") }

  func object(ofClass name: String, primaryKey: TableValue) throws(QueryError) -> QueryConstant {
    guard case .int(let key) = primaryKey else { throw .invalid("not a key: \(primaryKey.text)") }
    return .object(className: name, .typedLink(TableKey(1), ObjectKey(key)))
  }
}
