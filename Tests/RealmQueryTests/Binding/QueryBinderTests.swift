// SPDX-License-Identifier: Apache-2.0

// From query strings and typed conditions to columns and stored values.

import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct QueryBinderTests {
  private let schema = PlainSchema()
  private var binder: QueryBinder { QueryBinder(schema, on: schema.person) }

  private func bound(_ query: String, _ arguments: Any...) throws -> String {
    try binder.bind(QueryParser.parse(query, arguments)).condition.text
  }

  private func property(_ names: String..., isMany: Bool = false) -> PropertyPath {
    PropertyPath(
      names.indices.map { .property(names[$0], isMany: isMany && $0 == names.startIndex) })
  }

  private func comparison(
    _ left: PropertyPath, _ operation: ComparisonOperator, _ right: Operand
  ) -> Predicate {
    .comparison(Comparison(.path(left), operation, right))
  }

  @Test func namesBecomeColumns() throws {
    try expectEqual(bound("age > 3 AND best.age < 5"), "(years > 3 AND best.years < 5)")
    try expectEqual(bound("ANY dogs.owners.age == 3"), "dogs.@links.Person.dogs.years == 3")
    try expectEqual(
      bound("dogs.@avg.age > 2 OR dogs.@count == 1"),
      "(dogs.@avg.age > 2 OR dogs.@count == 1)")
    try expectEqual(bound("prices['a'] == 1"), "prices['a'] == 1")
    try expectEqual(bound("ANY friends.@allValues.age == 1"), "friends[*].years == 1")
    try expectEqual(bound("TRUEPREDICATE SORT(age DESC)"), "TRUEPREDICATE")
  }

  @Test func chainsBecomeOneList() throws {
    try expectEqual(
      bound("age == 1 AND age == 2 AND NOT age == 3"),
      "(years == 1 AND years == 2 AND NOT years == 3)")
    try expectEqual(
      bound("age == 1 OR age == 2 OR age == 3"), "(years == 1 OR years == 2 OR years == 3)")
  }

  @Test func constantsFitTheOtherSide() throws {
    try expectEqual(bound("isOpen == 1"), "isOpen == true")
    try expectEqual(bound("data == 'abc'"), "data == 3 bytes")
    try expectEqual(
      bound("height == 12345678901234567890.5"),
      "height == \"decimal 12345678901234567890.5\"")
    try expectEqual(bound("age < 12345678901234567890.5"), "years < 1.2345678901234567e+19")
    try expectEqual(bound("any.@type == 'Integer'"), "any.@type IN {\"int\"}")
    try expectEqual(
      bound("any.@type != 'collection'"), "NOT any.@type IN {\"list\", \"dictionary\"}")
    try expectEqual(bound("name == %@ AND age == $1", "x", 4), "(name == \"x\" AND years == 4)")
    try expectEqual(bound("3 < age"), "years > 3")
    try expectEqual(bound("best == obj(Person, 3)"), "best == object 3")
  }

  @Test func rangesAndListsAreValues() throws {
    try expectEqual(bound("age BETWEEN %@", 1...3), "years BETWEEN {1, 3}")
    try expectEqual(bound("age BETWEEN %@", 1..<3), "years BETWEEN {1, 2}")
    try expectEqual(bound("height BETWEEN %@", 1.0..<3), "(height >= 1.0 AND height < 3.0)")
    try expectEqual(bound("age IN %@", 1...100), "years BETWEEN {1, 100}")
    try expectEqual(bound("height IN %@", 1...2), "height IN {1, 2}")
    try expectEqual(bound("age IN {1, 2}"), "years IN {1, 2}")
    try expectEqual(bound("age == %@", [1, 2]), "years IN {1, 2}")
    try expectEqual(bound("age != {1, 2}"), "years != {1, 2}")
    try expectEqual(bound("name IN[c] {'a', 'b'}"), "(name ==[c] \"a\" OR name ==[c] \"b\")")
    try expectEqual(bound("'x' IN tags"), "tags == \"x\"")
    try expectEqual(bound("ALL marks > ANY {1, 2}"), "ALL marks > {1, 2}")
    try expectEqual(bound("NONE tags == 'x'"), "NOT tags == \"x\"")
    try expectEqual(bound("ALL marks BETWEEN {1, 2}"), "(ALL marks >= 1 AND ALL marks <= 2)")
    try expectEqual(
      bound("ALL dogs.name TEXT 'a'"), "SUBQUERY(dogs, $, NOT name TEXT \"a\").@count == 0")
  }

  @Test func objectsOfNoRealmEqualNone() throws {
    let here = PlainSchema.Thing(className: "Person", key: 7)
    let gone = PlainSchema.Thing(className: "Person", key: nil)
    try expectEqual(bound("best == %@", here), "best == object 7")
    try expectEqual(bound("best == %@", gone), "FALSEPREDICATE")
    try expectEqual(bound("best != %@", gone), "TRUEPREDICATE")
    try expectEqual(bound("best IN %@", [gone, here]), "best IN {object 7}")
    let dog = PlainSchema.Thing(className: "Dog", key: nil)
    try expectEqual(bound("%@ IN dogs", dog), "FALSEPREDICATE")
  }

  @Test func subqueriesBeginAtTheirElements() throws {
    try expectEqual(
      bound("SUBQUERY(dogs, $d, $d.age > 3 AND name == 'x').@count > 1"),
      "SUBQUERY(dogs, $, (age > 3 AND name == \"x\")).@count > 1")
    // `$self` is the queried object, and so is what the element does not have.
    try expectEqual(
      bound("SUBQUERY(dogs, $d, toys.@count > 3 AND $d.age > $self.age).@count > 1"),
      "SUBQUERY(dogs, $, (toys.@count > 3 AND age > outer.years)).@count > 1")
    try expectEqual(
      bound("SUBQUERY(dogs, $d, age > $self.age AND $self.name == 'x').@count > 1"),
      "SUBQUERY(dogs, $, (age > outer.years AND outer.name == \"x\")).@count > 1")
    try expectEqual(
      bound("SUBQUERY(dogs, $d, SUBQUERY($d.toys, $t, $t == $d.name).@count > 0).@count > 0"),
      "SUBQUERY(dogs, $, SUBQUERY(toys, $, self == outer.name).@count > 0).@count > 0")
  }

  @Test func typedConditionsNeedNoQuantifier() throws {
    let dogs = property("dogs", "age", isMany: true)
    try expectEqual(binder.bind(comparison(dogs, .greater, .constant(3))).text, "dogs.age > 3")
    let tags = PropertyPath([.property("tags", isMany: true)])
    let condition = Predicate.comparison(Comparison(.constant("x"), .in, .path(tags)))
    try expectEqual(binder.bind(condition).text, "tags == \"x\"")
    try expectEqual(binder.bind(.isTrue(.path(property("isOpen")))).text, "isOpen == true")
  }

  @Test func conditionsOnElementsAreCounted() throws {
    let age = comparison(property("dogs", "age", isMany: true), .greater, .constant(3))
    let name = comparison(property("dogs", "name", isMany: true), .equal, .constant("x"))
    let both = Predicate.and(age, name)
    let collection = try #require(both.firstCollection)
    let count = both.counted(in: collection) { $0.starts(with: collection) }
    let condition = Predicate.comparison(Comparison(count, .greater, .value(.int(1))))
    try expectEqual(
      binder.bind(condition).text,
      "SUBQUERY(dogs, $, (age > 3 AND name == \"x\")).@count > 1")
    expectEqual(
      condition.format().text,
      "(SUBQUERY(dogs, $col1, (($col1.age > %@) && ($col1.name == %@))).@count > 1)")
  }

  /// A path of an object around gets one level more for each collection that is counted.
  @Test func pathsOfObjectsAroundKeepTheirLevel() throws {
    let dogs = PropertyPath([.property("dogs", isMany: true)])
    var toy = dogs.appending(.property("toys", isMany: true))
    var dogName = dogs.appending(.property("name", isMany: false))
    (toy.elementStart, dogName.elementStart) = (2, 1)
    func isElement(_ collection: PropertyPath) -> (PropertyPath) -> Bool {
      { $0.elementStart >= collection.components.count && $0.starts(with: collection) }
    }
    let isDog = comparison(toy, .equal, .path(dogName))
    let isPerson = comparison(toy, .equal, .path(property("name")))
    let toys = Predicate.and(isDog, isPerson).counted(
      in: dogs.appending(.property("toys", isMany: true)),
      isElement(dogs.appending(.property("toys", isMany: true))))
    let inner = Predicate.comparison(Comparison(toys, .equal, .value(.int(0))))
    guard case .matchCount(var collection, let condition) = toys else {
      return #expect(Bool(false))
    }
    collection.elementStart = 1
    let whole = Predicate.comparison(
      Comparison(.matchCount(collection, condition), .equal, .value(.int(0)))
    ).counted(in: dogs, isElement(dogs))
    expectEqual(inner.paths.count, 1)
    try expectEqual(
      binder.bind(.comparison(Comparison(whole, .equal, .value(.int(0))))).text,
      "SUBQUERY(dogs, $, SUBQUERY(toys, $, (self == outer.name AND self == outer.outer.name))"
        + ".@count == 0).@count == 0")
  }

  @Test func embeddedObjectsOfNoRealmAreComparedByTheirMembers() throws {
    let spot = PlainSchema.Spot(street: "A", number: 3)
    let home = property("home")
    try expectEqual(
      binder.bind(comparison(home, .equal, .constant(spot))).text,
      "(home != nil AND TRUEPREDICATE AND home.street == \"A\" AND home.number == 3)")
    #expect(
      try binder.bind(comparison(home, .in, .constant([spot, Int?.none as Any]))).text
        .hasPrefix("(home == nil OR (home != nil AND "))
    let homes = PropertyPath([.property("homes", isMany: true)])
    try expectEqual(
      binder.bind(comparison(homes, .notEqual, .constant(spot))).text,
      "SUBQUERY(homes, $, NOT (TRUEPREDICATE AND street == \"A\" AND number == 3)).@count > 0")
  }

  @Test func collectionsAreComparedByTheirElements() throws {
    try expectEqual(
      binder.bind(comparison(property("any"), .equal, .constant([1, nil] as [Any?]))).text,
      "(any.@type IN {\"list\"} AND any.@count == 2 AND any[0] == 1 AND any[1] == nil)")
  }

  @Test func valuesAreCalledSelf() throws {
    let values = QueryBinder(schema, on: nil)
    func bound(_ query: String) throws -> String {
      try values.bind(QueryParser.parse(query)).condition.text
    }
    try expectEqual(bound("self > 3"), "self > 3")
    #expect(try bound("self.@type == 'numeric'").hasPrefix("self.@type IN "))
    #expect(throws: QueryError.self) { try bound("name == 3") }
  }

  @Test func modifiersBecomeSteps() throws {
    let query = try QueryParser.parse(
      "TRUEPREDICATE SORT(age DESC, best.age ASC) DISTINCT(name) LIMIT(%d) OFFSET(2)", [5])
    let steps = try binder.bind(query).steps
    expectEqual(
      steps,
      [
        .sort(
          SortOrder([
            SortOrder.Criterion(["years"], isAscending: false),
            SortOrder.Criterion(["best", "years"]),
          ])), .distinct(SortOrder([SortOrder.Criterion(["name"])])), .limit(5), .offset(2),
      ])
  }

  @Test(arguments: [
    (
      "nobody == 3",
      "Invalid keypath 'nobody': Property 'nobody' not found in object of type 'Person'"
    ),
    (
      "name.length == 3",
      "Invalid keypath 'name.length': Property 'Person.name' is not a link or collection and can "
        + "only appear at the end of a keypath."
    ),
    (
      "prices.a == 1",
      "Invalid keypath 'prices.a': Property 'Person.prices' is not a link or collection and can "
        + "only appear at the end of a keypath. A key stands in brackets: ['a']."
    ),
    ("tags['a'] == 1", "Invalid keypath 'tags['a']': only maps have keys."),
    ("prices[0] == 1", "Invalid keypath 'prices[0]': only lists have indexes."),
    ("tags[-1] == 1", "Invalid keypath 'tags[-1]': an index or a key must be in brackets."),
    (
      "SELF['a'] == 1", "Invalid keypath '['a']': brackets must stand behind a property."
    ),
    ("dogs.@first == 1", "Invalid keypath 'dogs.@first': the operator '@first' is not supported."),
    (
      "dogs.@min.@max.age == 1",
      "Invalid keypath 'dogs.@min.@max.age': a key path can have one operator only."
    ),
    (
      "dogs.@count.age == 1",
      "Invalid keypath 'dogs.@count.age': @count must be the end of the key path."
    ),
    (
      "age.@count == 1",
      "Invalid keypath 'age.@count': Property 'Person.age' is not a link or collection and can "
        + "only appear at the end of a keypath."
    ),
    (
      "best.@count == 1",
      "Aggregate operations can only be used on key paths that include an collection property"
    ),
    ("@links.Cat.x.@count > 0", "Invalid keypath '@links.Cat.x.@count': there is no class 'Cat'"),
    (
      "@links.Person.name.@count > 0",
      "Invalid keypath '@links.Person.name.@count': Property 'Person.name' does not link to "
        + "objects of type 'Person'"
    ),
    (
      "dogs.age > 3", "Key paths that include a collection property must use aggregate operations"
    ),
    (
      "ANY age == 3",
      "Aggregate operations can only be used on key paths that include an collection property"
    ),
    ("age MATCHES 'x'", "Operator 'MATCHES' not supported for type 'int'"),
    ("best MATCHES 'x'", "Operator 'MATCHES' not supported for type 'object'"),
    ("isOpen > TRUE", "Operator '>' not supported for type 'bool'"),
    ("3 == 3", "Predicate expressions must compare a keypath and a value."),
    ("'x' BEGINSWITH name", "Operator 'BEGINSWITH' requires a keypath on the left side."),
    (
      "age BETWEEN {1}",
      "Predicate with BETWEEN operator must compare a KeyPath with an aggregate with two values"
    ),
    ("age IN 3", "Predicate with IN operator must compare a KeyPath with an aggregate"),
    ("3 IN {3}", "Operator 'IN' requires a keypath on one side."),
    ("ANY tags BETWEEN ALL {1, 2}", "Operator 'BETWEEN' cannot compare lists."),
    ("ANY dogs.age == marks", "Comparing two collection columns is not permitted."),
    (
      "SUBQUERY(age, $x, $x > 3).@count > 0",
      "SUBQUERY is only supported for collections of objects and of values."
    ),
    (
      "any.@type == 'text'",
      "Invalid predicate: there is no type 'text' of values; there are numeric, collection, null, "
        + "int, bool, float, double, decimal128, string, data, date, objectId, uuid, object, list, "
        + "dictionary"
    ),
    ("TRUEPREDICATE LIMIT(-1)", "LIMIT needs a number that is not negative."),
    ("TRUEPREDICATE OFFSET(name)", "OFFSET needs a number that is not negative."),
    (
      "home GEOWITHIN geoCircle([0, 0], -1)",
      "Invalid region in GEOWITHIN query for parameter 'geoCircle': 'the radius is negative'"
    ),
    (
      "home IN geoBox([0, 91], [0, 0])",
      "Invalid region in GEOWITHIN query for parameter 'geoBox': 'there is no place with longitude "
        + "0.0, latitude 91.0'"
    ),
  ])
  func mistakesHaveTheirDocumentedText(query: String, text: String) throws {
    let error = try #require(throws: QueryError.self) { try bound(query) }
    expectEqual(error.description, text)
  }

  @Test func mistakesOfArguments() throws {
    func text(_ query: String, _ arguments: Any...) throws -> String {
      let error = try #require(throws: QueryError.self) {
        try binder.bind(QueryParser.parse(query, arguments))
      }
      return error.description
    }
    let dog = PlainSchema.Thing(className: "Dog", key: 1)
    try expectEqual(
      text("best == %@", dog),
      "Cannot compare value 'Dog' of type 'Dog' to property 'best' of type 'Person'. A link is "
        + "equal to objects of its own class alone. Documentation/QueryLanguage.md has all "
        + "literals.")
    try expectEqual(
      text("self == %@", dog),
      "Cannot compare value 'Dog' of type 'Dog' to property 'self' of type 'Person'. A link is "
        + "equal to objects of its own class alone. Documentation/QueryLanguage.md has all "
        + "literals.")
    try expectEqual(
      text("age == %@", PlainSchema.Foreign()), "A query cannot compare with 'Foreign()'.")
    try expectEqual(text("best == obj(Person, 'x')"), "not a key: x")
  }

  @Test func mistakesInKeyPathsNameTheKeyPath() throws {
    let error = try #require(throws: QueryError.self) { try bound("age == 1 AND best.x == 2") }
    guard case .invalid(_, at: .keyPath("best.x")) = error else {
      return #expect(Bool(false), "\(error)")
    }
  }
}
