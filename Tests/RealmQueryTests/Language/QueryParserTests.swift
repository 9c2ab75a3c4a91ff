// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct QueryParserTests {
  private static let arguments = [10, 11, 12, 13]

  private func condition(_ query: String) throws -> Predicate {
    try QueryParser.parse(query, QueryParserTests.arguments).condition
  }

  /// The condition as it is spelled out, with the arguments after it.
  private func text(_ query: String) throws -> String {
    let (text, arguments) = try condition(query).format()
    return arguments.isEmpty ? text : "\(text) \(arguments)"
  }

  private func left(_ query: String) throws -> Operand? {
    guard case .comparison(let comparison) = try condition(query) else { return nil }
    return comparison.left
  }

  @Test(arguments: [
    ("=", ComparisonOperator.equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual),
    ("<", .less), ("<=", .lessOrEqual), ("=<", .lessOrEqual), (">", .greater),
    (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("BEGINSWITH", .beginsWith),
    ("endswith", .endsWith), ("Contains", .contains), ("LIKE", .like), ("matches", .matches),
  ])
  func operatorsHaveSeveralSpellings(spelling: String, operation: ComparisonOperator) throws {
    guard case .comparison(let comparison) = try condition("a.b \(spelling)[cd] \"x\"") else {
      return #expect(Bool(false))
    }
    expectEqual(comparison.operation, operation)
    expectEqual(comparison.options, [.caseInsensitive, .diacriticInsensitive])
    try expectEqual(text("age \(spelling) 5"), "(age \(operation.text) 5)")
  }

  @Test func listsStandInBracesOrParentheses() throws {
    try expectEqual(text("age BETWEEN {1, 5}"), "(age BETWEEN {1, 5})")
    try expectEqual(text("age IN {}"), "(age IN {})")
    try expectEqual(text("%@ IN tags"), "(%@ IN tags) [10]")
    try expectEqual(text("age BETWEEN (1, 5)"), "(age BETWEEN {1, 5})")
    try expectEqual(text("(age) IN (1, 5)"), "(age IN {1, 5})")
    try expectEqual(text("age IN (%@)"), "(age IN %@) [10]")
    try expectEqual(text("a.b >[cd] \"x\""), "(a.b >[cd] \"x\")")
  }

  private static let objectId = Bytes12(high: 0x507f_1f77_bcf8_6cd7, low: 0x9943_9011)
  private static let uuid = Bytes16(high: 0x3b24_1101_e2bb_4255, low: 0x8caf_4136_c566_a962)

  private static func time(_ seconds: Int64, _ nanoseconds: Int32) -> TableValue {
    .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(arguments: [
    ("1", TableValue.int(1)), ("-7", .int(-7)), ("+7", .int(7)), ("0xFF", .int(255)),
    ("2.5", .double(2.5)), ("-.5", .double(-0.5)), ("1e3", .double(1000)),
    ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("1e-2", .double(0.01)), ("'a'", .string("a")), ("\"it's\"", .string("it's")),
    ("'it\\'s \\u00e9'", .string("it's é")), ("TRUE", .bool(true)), ("yes", .bool(true)),
    ("false", .bool(false)), ("NO", .bool(false)), ("NULL", .null), ("nil", .null),
    ("-infinity", .double(-.infinity)), ("0b101", .int(5)), ("0o17", .int(15)),
    ("-0x10", .int(-16)), ("10.", .double(10)), ("inf", .double(.infinity)),
    ("oid(507f1f77bcf86cd799439011)", .objectId(objectId)),
    ("oid('507f1f77bcf86cd799439011')", .objectId(objectId)),
    ("uuid(3b241101-e2bb-4255-8caf-4136c566a962)", .uuid(uuid)),
    ("uuid(\"3b241101-e2bb-4255-8caf-4136c566a962\")", .uuid(uuid)),
    ("B64'aGVsbG8='", .binary(Array("hello".utf8))), ("B64\"\"", .binary([])),
    ("T1600000000:7", time(1_600_000_000, 7)), ("T-5:-3", time(-5, -3)),
    ("1970-01-01@00:00:00:0", time(0, 0)), ("2020-02-29T23:59:59:12", time(1_583_020_799, 12)),
    ("'\\ud83d\\ude00\\U0001F600'", .string("😀😀")), ("'\u{301}a'", .string("\u{301}a")),
    ("1970-01-01T00:00:01Z", time(1, 0)), ("1969-12-31@23:59:58:999999999", time(-1, -1)),
    ("T5:-1", time(4, 999_999_999)), ("2020-02-29", time(1_582_934_400, 0)),
    ("1970-01-01T02:00:00.25+01:30", time(1800, 250_000_000)),
    ("1969-12-31@19:00:00-0500", time(0, 0)), ("- -7", .int(7)),
    ("- - -9223372036854775808", .int(.min)), ("-(-7)", .int(7)),
  ])
  func literalsAreStoredValues(literal: String, value: TableValue) throws {
    guard case .comparison(let comparison) = try condition("x == \(literal)"),
      case .value(value) = comparison.right
    else { return #expect(Bool(false), "\(literal)") }
    // Spelled out, the value is a literal again.
    guard case .comparison(let again) = try condition("x == \(value.literal)"),
      case .value(value) = again.right
    else { return #expect(Bool(false), "\(value.literal)") }
  }

  @Test func numbersKeepTheDigitsThatADoubleDoesNot() throws {
    let digits = "12345678901234567890.5"
    try expectEqual(text("x == \(digits)"), "(x == \(digits))")
    try expectEqual(text("x == -\(digits)"), "(x == -\(digits))")
    // One more than the largest integer.
    let minimum = "-9223372036854775808"
    try expectEqual(text("x == -\(minimum)"), "(x == 9223372036854775808)")
  }

  @Test func conjunctionsBindCloserThanDisjunctions() throws {
    try expectEqual(
      text("a = 1 OR b = 2 AND c = 3"), "((a == 1) || ((b == 2) && (c == 3)))")
    try expectEqual(
      text("(a = 1 || b = 2) && c = 3"), "(((a == 1) || (b == 2)) && (c == 3))")
    try expectEqual(text("NOT a = 1 and !(b = 2)"), "((NOT a == 1) && (NOT b == 2))")
    try expectEqual(text("TRUEPREDICATE"), "TRUEPREDICATE")
    try expectEqual(text("not falsepredicate"), "NOT FALSEPREDICATE")
  }

  @Test func argumentsAreNumberedInTheirOrder() throws {
    let (condition, arguments) =
      try QueryParser.parse("%K == %@ AND age BETWEEN {%d, %i}", ["name", 1, 2, 3]).condition
      .format()
    expectEqual(condition, "((name == %@) && (age BETWEEN {%@, %@}))")
    expectEqual(arguments as? [Int], [1, 2, 3])
    #expect(try text("x == $2 OR x == %lld OR y == %f\u{A0}").hasSuffix("[12, 10, 11]"))
  }

  @Test func quantifiersAreKeywordsWhereNoOperatorFollows() throws {
    try expectEqual(text("ANY dogs.age > 3"), "(ANY dogs.age > 3)")
    try expectEqual(text("some dogs.age > 3"), "(ANY dogs.age > 3)")
    try expectEqual(text("NONE dogs.age > 3"), "(NONE dogs.age > 3)")
    try expectEqual(text("ALL dogs.age > ANY {1, 2}"), "(ALL dogs.age > ANY {1, 2})")
    try expectEqual(text("NONE dogs.age * 2 > 3"), "(NONE (dogs.age * 2) > 3)")
    try expectEqual(text("ALL (dogs.age * 2) > ANY (1, 2)"), "(ALL (dogs.age * 2) > ANY {1, 2})")
    // Properties may be called like anything.
    try expectEqual(text("any == 1"), "(any == 1)")
    try expectEqual(text("all IN {1}"), "(all IN {1})")
    try expectEqual(text("#in == 1"), "(in == 1)")
    try expectEqual(text("true.x == 1"), "(true.x == 1)")
  }

  @Test func keyPathsAreReadStepByStep() throws {
    func components(_ text: String) throws -> [PropertyPath.Component]? {
      guard case .path(let path) = try left("\(text) == 1") else { return nil }
      return path.components
    }
    func name(_ name: String) -> PropertyPath.Component { .property(name, isMany: nil) }
    try expectEqual(components("SELF"), [])
    try expectEqual(components("self.a"), [name("a")])
    try expectEqual(components("dogs.@count"), [name("dogs"), .function("count")])
    try expectEqual(components("dogs.@avg.age"), [name("dogs"), .function("avg"), name("age")])
    try expectEqual(components("@links.Dog.owner.name"), [.links("Dog", "owner"), name("name")])
    try expectEqual(components("@links.@count"), [.function("links.count")])
    try expectEqual(components("map['k']"), [name("map"), .part(.value(of: "k"))])
    try expectEqual(
      components("any[0]['k'][#any][*]"),
      [
        name("any"), .part(.index(0)), .part(.value(of: "k")), .part(.every), .part(.every),
      ])
    try expectEqual(
      components("list[FIRST].x[LAST]"),
      [name("list"), .part(.first), name("x"), .part(.last)])
    try expectEqual(components("list[%@]"), [name("list"), .argumentPart(.index(10))])
    try expectEqual(components("list[-1]"), [name("list"), .unknownPart("-1")])
  }

  @Test func argumentsMayBeKeyPaths() throws {
    func text(_ path: Any) throws -> String {
      try QueryParser.parse("a.%K == 1", [path]).condition.format().text
    }
    try expectEqual(text("b"), "(a.b == 1)")
    try expectEqual(text("b.c.@count"), "(a.b.c.@count == 1)")
    try expectEqual(text("b['k'].c"), "(a.b['k'].c == 1)")
    try expectEqual(text("self.b"), "(a.b == 1)")
    let error = try #require(throws: QuerySyntaxError.self) { try text(3) }
    expectEqual("\(error)", "Invalid predicate: the argument for %K must be the name of a property")
  }

  @Test func subqueriesNameTheirElements() throws {
    try expectEqual(
      text("SUBQUERY(dogs, $dog, $dog.age > 3 AND $dog.name == %@).@count > 1"),
      "(SUBQUERY(dogs, $col1, (($col1.age > 3) && ($col1.name == %@))).@count > 1) [10]")
    try expectEqual(
      text("SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == $x.d).@size > 0).@count > 0"),
      "(SUBQUERY(a, $col1, (SUBQUERY($col1.b, $col2, ($col2.c == $col1.d)).@count > 0))"
        + ".@count > 0)")
    try expectEqual(
      text("SUBQUERY(a, $x, $x == 1).@count > 0"),
      "(SUBQUERY(a, $col1, ($col1 == 1)).@count > 0)")
  }

  @Test func productsBindCloserThanSums() throws {
    try expectEqual(text("a + b * c == 1"), "((a + (b * c)) == 1)")
    try expectEqual(text("(a + b) * c == 1"), "(((a + b) * c) == 1)")
    try expectEqual(text("a - b -2 == 1"), "(((a - b) - 2) == 1)")
    try expectEqual(text("a / -2 == 1"), "((a / -2) == 1)")
    try expectEqual(text("a %% 3 == 1"), "((a %% 3) == 1)")
    try expectEqual(text("-a == 1"), "((0 - a) == 1)")
    try expectEqual(text("+a - -b == 1"), "((a - (0 - b)) == 1)")
    try expectEqual(text("a-2-10 == 1"), "(((a - 2) - 10) == 1)")
    try expectEqual(text("(a == 1)"), "(a == 1)")
    try expectEqual(
      text("((a + b) > c AND (a) IN {1})"), "(((a + b) > c) && (a IN {1}))")
  }

  @Test func modifiersFollowTheCondition() throws {
    let query = try QueryParser.parse(
      "age > 5 SORT(name ASC, owner.age DESC, id) DISTINCT(name, age) limit(10) OFFSET($1)",
      QueryParserTests.arguments)
    let texts = query.modifiers.map { modifier in
      switch modifier {
      case .sort(let terms):
        "sort " + terms.map { "\($0.keyPath.text) \($0.isAscending)" }.joined(separator: ", ")
      case .distinct(let paths): "distinct " + paths.map(\.text).joined(separator: ", ")
      case .limit(.value(let count)): "limit \(count.text)"
      case .offset(.argument(let count)): "offset \(count)"
      default: "?"
      }
    }
    expectEqual(
      texts,
      [
        "sort name true, owner.age false, id true", "distinct name, age", "limit 10", "offset 11",
      ])
    try expectEqual(QueryParser.parse("LIMIT(3)").condition.format().text, "TRUEPREDICATE")
    try expectEqual(text("limit == 3"), "(limit == 3)")
  }

  /// A condition that was read and spelled out reads as itself.
  @Test(arguments: [
    "a.b ==[cd] 'it\\'s \"' OR NOT (ANY c.d > 3 AND e IN {1, -2.5e3, TRUE, NULL})",
    "SUBQUERY(dogs, $d, $d.age > 3 AND SUBQUERY($d.toys, $t, $t.x == $d.y).@count == 0).@count > 1",
    "ALL {1, 2} > NONE map['k'] || !(a.b.@avg.c BETWEEN {1, 2})",
    "when >= 2020-02-28@13:05:00:7 && t < T1600000000:5",
    "NONE @links.Dog.owner.@count =< 0x1F AND text TEXT 'fish -chips' AND x LIKE[cd] 'a?b*'",
    "place GEOWITHIN geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]}, {[2, 2, 5], [3, 3]})",
    "place IN geoBox([1, 2], [3, 4.5]) OR place IN geoCircle([1, 2], 0.5)",
    "self == 3 AND x == obj(Dog, 'Rex') AND @links.@count > 1 AND self.@type == 'int'",
    "NONE a.b + 2 * c > 3 OR ANY (a.b - 1) IN {1} OR any == all + 1",
    "any[0]['k'][*].@type == 'int' AND a * (b %% 2) - 3 > -c AND x == B64'aGVsbA=='",
  ])
  func spelledConditionsReadAsThemselves(query: String) throws {
    let spelled = try text(query)
    try expectEqual(text(spelled), spelled)
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
      "SUBQUERY(a, $x, SUBQUERY($x.b, $y, SUBQUERY($z.c, $z, TRUEPREDICATE).@count > 0)"
        + ".@count > 0).@count > 0", 45, "the variable $y"
    ),
    ("a > % 3", 5, "a format such as %@ or %K, or %% for a remainder"),
    ("when > T1:-9223372036854775808", 10, "AND, OR, SORT, DISTINCT, LIMIT, OFFSET or the end"),
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
    let error = try #require(throws: QuerySyntaxError.self) {
      try QueryParser.parse(query, [1, 2, 3])
    }
    expectEqual(error.column, column)
    expectEqual(error.expected, expected)
    expectTrue(error.description.contains("at column \(column)"))
  }

  @Test(.heavy) func nestingIsBounded() {
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
