// SPDX-License-Identifier: Apache-2.0

// Texts of queries: read, bound to classes, and run.

#if Tools && Server
import RealmQuery
import RealmTables

extension FuzzTarget {
  /// Reads the text of a query, and runs it on a few objects.
  static let query = FuzzTarget(
    name: "query", byteCountMax: 512,
    run: { input, _ in
      guard let first = input.first else { return .refused }
      let text = String(decoding: input.dropFirst(), as: UTF8.self)
      let arguments: [Any] = [TableValue.int(1), TableValue.string("a"), TableValue.double(2.5)]
      let parsed: ParsedQuery
      do throws(QuerySyntaxError) {
        parsed = try QueryParser.parse(text, first & 4 == 0 ? arguments : [])
      } catch {
        guard (1...text.count + 1).contains(error.column), !error.expected.isEmpty,
          !error.found.isEmpty
        else { throw Finding("an error says neither where nor what: \(error)") }
        return .refused
      }
      return try run(parsed, classNumber: Int(first & 3))
    },
    seeds: { _ in queryTexts.map { [0] + Array($0.utf8) } })

  private static func run(_ parsed: ParsedQuery, classNumber: Int) throws -> Outcome {
    let group = try SampleFile.shared.get().read()
    let classes = try StoredSchema(group)
    let schema = classes.inFileOrder[classNumber % classes.inFileOrder.count]
    guard let table = try classes.reader.readTable(schema.key) else { return .refused }
    let binder = QueryBinder(classes, on: classes.queryClass(named: schema.displayName))
    var counts: (keys: Int, matches: Int) = (0, 0)
    do throws(QueryError) {
      let (condition, steps) = try binder.bind(parsed)
      let query = steps.reduce(TableQuery(schema.key, where: condition)) { $0.adding($1) }
      try query.check(against: table, of: classes.reader)
      counts.keys = try query.keys(of: table, in: classes.reader).count
      _ = try query.explanation(in: table, of: classes.reader)
      // The same question by other code.
      counts.matches =
        steps.isEmpty ? try query.matchCount(of: table, in: classes.reader) : counts.keys
    } catch {
      if case .storage(let cause) = error { throw Finding("a whole file is damaged: \(cause)") }
      return .refused
    }
    try respell(parsed.condition)
    guard counts.keys == counts.matches else { throw Finding("two counts of objects: \(counts)") }
    return .read
  }

  /// A condition on the objects of a class can be spelled, and read again.
  private static func respell(_ condition: Predicate) throws {
    let spelled = condition.format()
    let again: Predicate
    do { again = try QueryParser.parse(spelled.text, spelled.arguments).condition } catch {
      throw Finding("'\(spelled.text)' is not read again: \(error)")
    }
    guard again.format().text == spelled.text else {
      throw Finding("'\(spelled.text)' becomes '\(again.format().text)'")
    }
  }

  private static let queryTexts = [
    "none_int > %@ AND ANY list_thing.none_string BEGINSWITH[c] %@",
    "SUBQUERY(list_thing, $d, $d.none_int > 3 AND $d.none_string == 'x').@count > 1 "
      + "SORT(id ASC) LIMIT(5)",
    "dictionary_mixed['k'].@allKeys IN {1, -2.5e3, 'three', TRUE, NULL} || "
      + "!(list_int.@avg BETWEEN {%@, %@})",
    "none_objectId == oid(507f1f77bcf86cd799439011) or "
      + "none_uuid = uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
    "none_timestamp >= 2020-02-28@13:05:00:7 && none_timestamp < T1600000000:5 "
      + "DISTINCT(none_int, id) SORT(none_double DESC)",
    "NONE @links.Note.thing.@count =< 0x1F AND %K LIKE[cd] 'a?b*'",
    "none_mixed[0].@type == 'string' || none_mixed['a'][1] > 2",
    "ALL set_int > none_int + 2 * none_double - (1 / 3)",
    "none_decimal BETWEEN {decimal128('1.5'), 2} AND none_binary == binary('YWI=')",
    "none_thing.none_thing.id CONTAINS[d] 'ä' AND list_string.@size == 2",
    "thing.id == nil AND ANY anys.@type == 'int' OFFSET(1) LIMIT(2)",
    "list_double.@max > 1 OR list_float.@sum < 3 OR set_decimal.@min == 0",
    "x > $0 AND texts TEXT 'fish -chips'", "TRUEPREDICATE SORT(number DESC, name ASC)",
  ]
}
#endif
