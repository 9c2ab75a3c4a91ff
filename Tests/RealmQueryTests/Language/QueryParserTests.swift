// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import Testing

@testable import RealmQuery

@Suite struct QueryParserTests {
  private func condition(_ query: String) throws -> ParsedCondition {
    try QueryParser.parse(query).condition
  }

  private func path(_ names: String...) -> ParsedOperand {
    .keyPath(ParsedKeyPath(components: names.map(ParsedKeyPath.Component.name)))
  }

  private func compare(
    _ left: ParsedOperand, _ operation: ComparisonOperator, _ right: ParsedOperand,
    _ options: TextOptions = [], _ quantifier: ParsedComparison.Quantifier? = nil
  ) -> ParsedCondition {
    .comparison(
      ParsedComparison(
        quantifier: quantifier, left: left, operation: operation, options: options,
        right: right))
  }

  @Test(arguments: [
    ("=", ComparisonOperator.equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual),
    ("<", .less), ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">", .greater),
    (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("BEGINSWITH", .beginsWith),
    ("endswith", .endsWith), ("Contains", .contains), ("LIKE", .like),
  ])
  func operators(text: String, operation: ComparisonOperator) throws {
    #expect(try condition("age \(text) 5") == compare(path("age"), operation, .integer(5)))
    #expect(
      try condition("a.b \(text)[cd] \"x\"")
        == compare(
          path("a", "b"), operation, .string("x"), [.caseInsensitive, .diacriticInsensitive]))
  }

  @Test func listsAndRanges() throws {
    #expect(
      try condition("age BETWEEN {1, 5}")
        == compare(path("age"), .between, .list([.integer(1), .integer(5)])))
    #expect(try condition("age IN {}") == compare(path("age"), .in, .list([])))
    #expect(try condition("%@ IN tags") == compare(.argument(0), .in, path("tags")))
    let list = ParsedOperand.list([.integer(1), .integer(5)])
    #expect(try condition("age BETWEEN (1, 5)") == compare(path("age"), .between, list))
    #expect(try condition("(age) IN (1, 5)") == compare(path("age"), .in, list))
    #expect(try condition("age IN (%@)") == compare(path("age"), .in, .argument(0)))
  }

  @Test(arguments: [
    ("1", ParsedOperand.integer(1)), ("-7", .integer(-7)), ("+7", .integer(7)),
    ("0xFF", .integer(255)), ("2.5", .number(2.5)), ("-.5", .number(-0.5)),
    ("1e3", .number(1000)), ("9223372036854775807", .integer(.max)),
    ("-9223372036854775808", .integer(.min)), ("1e-2", .number(0.01)), ("'a'", .string("a")),
    ("\"it's\"", .string("it's")), ("'it\\'s \\u00e9'", .string("it's é")), ("TRUE", .bool(true)),
    ("yes", .bool(true)), ("false", .bool(false)), ("NO", .bool(false)), ("NULL", .null),
    ("nil", .null), ("-infinity", .number(-.infinity)),
    ("oid(507f1f77bcf86cd799439011)", .objectId("507f1f77bcf86cd799439011")),
    (
      "uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
      .uuid("3b241101-e2bb-4255-8caf-4136c566a962")
    ),
    ("T1600000000:7", .time(1_600_000_000, 7)), ("T-5:-3", .time(-5, -3)),
    ("1970-01-01@00:00:00:0", .time(0, 0)), ("2020-02-29T23:59:59:12", .time(1_583_020_799, 12)),
    ("$2", .argument(2)), ("%lld", .argument(0)), ("0b101", .integer(5)), ("0o17", .integer(15)),
    ("-0x10", .integer(-16)), ("10.", .number(10)), ("inf", .number(.infinity)),
    ("12345678901234567890.5", .longNumber("12345678901234567890.5")),
    ("-12345678901234567890", .longNumber("-12345678901234567890")),
    ("'\\ud83d\\ude00\\U0001F600'", .string("😀😀")), ("'\u{301}a'", .string("\u{301}a")),
    ("1970-01-01T00:00:01Z", .time(1, 0)),
    ("1969-12-31@23:59:58:999999999", .time(-1, -1)), ("T5:-1", .time(4, 999_999_999)),
    ("2020-02-29", .time(1_582_934_400, 0)),
    ("1970-01-01T02:00:00.25+01:30", .time(1800, 250_000_000)),
    ("1969-12-31@19:00:00-0500", .time(0, 0)), ("%f\u{A0}", .argument(0)),
    ("oid('0b3f1f77bcf86cd799439011')", .objectId("0b3f1f77bcf86cd799439011")),
    (
      "uuid(\"3b241101-e2bb-4255-8caf-4136c566a962\")",
      .uuid("3b241101-e2bb-4255-8caf-4136c566a962")
    ),
  ])
  func literals(text: String, operand: ParsedOperand) throws {
    #expect(try condition("x == \(text)") == compare(path("x"), .equal, operand))
  }

  @Test func precedence() throws {
    let a = compare(path("a"), .equal, .integer(1))
    let b = compare(path("b"), .equal, .integer(2))
    let c = compare(path("c"), .equal, .integer(3))
    #expect(try condition("a = 1 OR b = 2 AND c = 3") == .or([a, .and([b, c])]))
    #expect(try condition("(a = 1 || b = 2) && c = 3") == .and([.or([a, b]), c]))
    #expect(try condition("NOT a = 1 and !(b = 2)") == .and([.not(a), .not(b)]))
    #expect(try condition("TRUEPREDICATE") == .constant(true))
    #expect(try condition("not falsepredicate") == .not(.constant(false)))
  }

  @Test func argumentsAreNumberedInTheirOrder() throws {
    #expect(
      try condition("%K == %@ AND age BETWEEN {%d, %i}")
        == .and([
          compare(
            .keyPath(ParsedKeyPath(components: [.argument(0)])), .equal, .argument(1)),
          compare(path("age"), .between, .list([.argument(2), .argument(3)])),
        ]))
  }

  @Test func quantifiers() throws {
    let dogs = path("dogs", "age")
    #expect(try condition("ANY dogs.age > 3") == compare(dogs, .greater, .integer(3), [], .any))
    #expect(try condition("some dogs.age > 3") == compare(dogs, .greater, .integer(3), [], .any))
    #expect(
      try condition("NONE dogs.age > 3")
        == compare(dogs, .greater, .integer(3), [], .no))
    #expect(try condition("ALL dogs.age > 3") == compare(dogs, .greater, .integer(3), [], .all))
    // Properties may be called like anything.
    #expect(try condition("any == 1") == compare(path("any"), .equal, .integer(1)))
    #expect(try condition("all IN {1}") == compare(path("all"), .in, .list([.integer(1)])))
    #expect(try condition("#in == 1") == compare(path("in"), .equal, .integer(1)))
    #expect(try condition("true.x == 1") == compare(path("true", "x"), .equal, .integer(1)))
  }

  @Test func keyPaths() throws {
    func components(_ text: String) throws -> [ParsedKeyPath.Component]? {
      guard case .comparison(let comparison) = try condition("\(text) == 1"),
        case .keyPath(let path) = comparison.left
      else { return nil }
      return path.components
    }
    #expect(try components("SELF") == [])
    #expect(try components("self.a") == [.name("a")])
    #expect(try components("dogs.@count") == [.name("dogs"), .function("count")])
    #expect(try components("dogs.@avg.age") == [.name("dogs"), .function("avg"), .name("age")])
    #expect(try components("@links.Dog.owner.name") == [.links("Dog", "owner"), .name("name")])
    #expect(try components("@links.@count") == [.function("links.count")])
    #expect(try components("map['k']") == [.name("map"), .index(.string("k"))])
    #expect(
      try components("any[0]['k'][#any][*]")
        == [.name("any"), .index(.integer(0)), .index(.string("k")), .anyIndex, .anyIndex])
    #expect(
      try components("list[FIRST].x[LAST]")
        == [.name("list"), .firstIndex, .name("x"), .lastIndex])
    #expect(try components("a.%K") == [.name("a"), .argument(0)])
  }

  @Test func subqueries() throws {
    let inner = ParsedCondition.and([
      compare(path("age"), .greater, .integer(3)), compare(path("name"), .equal, .argument(0)),
    ])
    #expect(
      try condition("SUBQUERY(dogs, $dog, $dog.age > 3 AND $dog.name == %@).@count > 1")
        == compare(
          .matchCount(ParsedKeyPath(components: [.name("dogs")]), inner), .greater, .integer(1)))
  }

  @Test func arithmetic() throws {
    func operand(_ text: String) throws -> ParsedOperand? {
      guard case .comparison(let comparison) = try condition("\(text) == 1") else { return nil }
      return comparison.left
    }
    func property(_ name: String) -> ParsedOperand {
      .keyPath(ParsedKeyPath(components: [.name(name)]))
    }
    let (a, b, c) = (property("a"), property("b"), property("c"))
    #expect(
      try operand("a + b * c") == .arithmetic(.add, a, .arithmetic(.multiply, b, c)))
    #expect(
      try operand("(a + b) * c") == .arithmetic(.multiply, .arithmetic(.add, a, b), c))
    #expect(
      try operand("a - b -2")
        == .arithmetic(.subtract, .arithmetic(.subtract, a, b), .integer(2)))
    #expect(try operand("a / -2") == .arithmetic(.divide, a, .integer(-2)))
    #expect(try operand("a %% 3") == .arithmetic(.remainder, a, .integer(3)))
    #expect(try operand("-a") == .arithmetic(.subtract, .integer(0), a))
    #expect(
      try operand("+a - -b") == .arithmetic(.subtract, a, .arithmetic(.subtract, .integer(0), b)))
    #expect(
      try operand("a-2-10")
        == .arithmetic(.subtract, .arithmetic(.subtract, a, .integer(2)), .integer(10)))
    #expect(try condition("(a == 1)") == compare(path("a"), .equal, .integer(1)))
    #expect(
      try condition("((a + b) > c AND (a) IN {1})")
        == .and([
          compare(.arithmetic(.add, a, b), .greater, c), compare(a, .in, .list([.integer(1)])),
        ]))
  }

  @Test func modifiers() throws {
    let query = try QueryParser.parse(
      "age > 5 SORT(name ASC, owner.age DESC, id) DISTINCT(name, age) limit(10) OFFSET($1)")
    func path(_ names: String...) -> ParsedKeyPath {
      ParsedKeyPath(components: names.map(ParsedKeyPath.Component.name))
    }
    #expect(
      query.modifiers == [
        .sort([
          .init(keyPath: path("name"), isAscending: true),
          .init(keyPath: path("owner", "age"), isAscending: false),
          .init(keyPath: path("id"), isAscending: true),
        ]),
        .distinct([path("name"), path("age")]), .limit(.integer(10)), .offset(.argument(1)),
      ])
    #expect(
      try QueryParser.parse("LIMIT(3)")
        == ParsedQuery(condition: .constant(true), modifiers: [.limit(.integer(3))]))
    #expect(try condition("limit == 3") == compare(self.path("limit"), .equal, .integer(3)))
  }

  @Test(arguments: [
    ("", 1, "a property or a value"),
    ("age", 4, "an operator such as ==, IN or BEGINSWITH"),
    ("age >", 6, "a property or a value"),
    ("age > 5 name", 9, "AND, OR, SORT, DISTINCT, LIMIT, OFFSET or the end"),
    ("age > 5 AND", 12, "a property or a value"),
    ("(age > 5", 9, "')'"),
    ("age > 'x", 7, "a string that ends"),
    ("age >[x] 5", 7, "c, d or cd"),
    ("a..b == 1", 3, "the name of a property"),
    ("a == %q", 6, "a format such as %@ or %K, or %% for a remainder"),
    ("a == ;", 6, "a name, a value or an operator"),
    ("SUBQUERY(a, x, y == 1).@count > 0", 13, "a variable such as $x"),
    ("SUBQUERY(a, $x, $y.b == 1).@count > 0", 17, "the variable $x"),
    ("$x.b == 1", 1, "a variable inside of a SUBQUERY only"),
    ("SUBQUERY(a, $x, $x.b == 1).@sum > 0", 28, "@count"),
    ("SUBQUERY(a, $x, $x.b == 1) > 0", 28, ".@count"),
    (
      "SUBQUERY(a, $x, SUBQUERY($x.b, $y, SUBQUERY($x.c, $z, TRUEPREDICATE).@count > 0)"
        + ".@count > 0).@count > 0", 45, "the variable $y (the innermost)"
    ),
    ("a > % 3", 5, "a format such as %@ or %K, or %% for a remainder"),
    ("when > 2020-13-01@00:00:00", 8, "a date such as 2020-02-28 or 2020-02-28@13:05:00"),
    ("when > 2021-02-29", 8, "a date such as 2020-02-28 or 2020-02-28@13:05:00"),
    ("when > 2020-02-28@25:00:00", 8, "a date such as 2020-02-28 or 2020-02-28@13:05:00"),
    ("when > 2020-02-28@", 8, "a date such as 2020-02-28 or 2020-02-28@13:05:00"),
    (
      "when > 2020-02-28@10:00:00:9999999999", 8, "a date such as 2020-02-28 or 2020-02-28@13:05:00"
    ),
    ("a == 0xFFFFFFFFFFFFFFFFF", 6, "a hexadecimal number of at most 63 bits"),
    ("a == '\\ud83d'", 9, "the number of a character"),
    ("é\u{301}🇫🇷 == '\\u12'", 10, "4 hexadecimal digits of a character"),
    ("a == “x”", 6, "a straight quote, \" or ', around a string"),
    ("a WITHIN circle(3)", 3, "an operator such as ==, IN or BEGINSWITH"),
    ("a IN circle(3)", 6, "a property or a value (there is no such function)"),
    ("a == oid(12)", 10, "the 24 hexadecimal digits of an object id"),
    ("a == uuid(x)", 11, "a UUID such as 3b241101-e2bb-4255-8caf-4136c566a962"),
    ("a == B64'?'", 9, "bytes in base 64"),
    ("a[x] == 1", 3, "an index, a key in quotes, FIRST, LAST, SIZE or *"),
    ("a IN {1, 2", 11, "'}'"),
    ("a == 1 SORT(b", 14, "')'"),
    ("a == oid(12", 12, "')'"),
  ])
  func errorsSayWhereAndWhatWasExpected(query: String, column: Int, expected: String) throws {
    let error = try #require(throws: QuerySyntaxError.self) { try QueryParser.parse(query) }
    #expect(error.column == column)
    #expect(error.expected == expected)
    #expect(error.description.contains("at column \(column)"))
  }

  @Test func nestingIsBounded() {
    let deep = String(repeating: "(", count: 100_000)
    #expect(throws: QuerySyntaxError.self) { try QueryParser.parse(deep) }
    let negations = String(repeating: "NOT ", count: 100_000) + "a == 1"
    #expect(throws: QuerySyntaxError.self) { try QueryParser.parse(negations) }
    let lists = "a IN " + String(repeating: "{", count: 100_000)
    #expect(throws: QuerySyntaxError.self) { try QueryParser.parse(lists) }
    let conditions = Array(repeating: "a == 1", count: 5_000).joined(separator: " AND ")
    #expect(throws: Never.self) { try QueryParser.parse(conditions) }
  }
}
