// SPDX-License-Identifier: Apache-2.0

// The operators of queries, one after the other.

#if Server
import RealmFormats
import TestExtensions
import Testing

@testable import RealmServerServices

struct DocumentQueryTests {
  private static let documents = [
    #"{"_id":1,"n":1,"s":"a","list":[1,2,3],"sub":{"x":1,"y":[{"z":1},{"z":2}]}}"#,
    #"{"_id":2,"n":2,"s":"Ab","list":[],"sub":{"x":2}}"#,
    #"{"_id":3,"n":{"$numberDouble":"2.5"},"s":null,"list":[{"a":1,"b":2},{"a":2,"b":1}]}"#,
    #"{"_id":4,"s":"b\nab","d":{"$date":{"$numberLong":"1577836800000"}},"#
      + #""n":{"$numberDecimal":"2.50"}}"#,
    #"{"_id":5,"n":"2","o":{"$oid":"0123456789abcdef01234567"},"b":true,"list":[5,"x"]}"#,
  ]

  private static func work() -> DocumentWork { DocumentWork(DocumentLimits(), now: { 0 }) }

  private static func ids(_ query: String) throws -> [Int64] {
    let query = try DocumentQuery(ExtendedJSONReader.parse(query))
    var (ids, work): ([Int64], DocumentWork) = ([], work())
    for text in documents {
      let document = try ExtendedJSONReader.parse(text)
      if try query.matches(document, &work) { ids.append(document["_id"]?.wholeNumber ?? 0) }
    }
    return ids
  }

  @Test(arguments: [
    (#"{}"#, [1, 2, 3, 4, 5]),
    (#"{"n":1}"#, [1]),
    (#"{"n":{"$numberDouble":"1"}}"#, [1]),
    (#"{"n":{"$eq":{"$numberDecimal":"2.5"}}}"#, [3, 4]),
    (#"{"n":{"$ne":2}}"#, [1, 3, 4, 5]),
    (#"{"n":{"$gt":1}}"#, [2, 3, 4]),
    (#"{"n":{"$gte":2,"$lt":{"$numberDouble":"2.5"}}}"#, [2]),
    (#"{"n":{"$lte":2}}"#, [1, 2]),
    (#"{"n":{"$gt":""}}"#, [5]),
    (#"{"n":{"$in":[1,"2"]}}"#, [1, 5]),
    (#"{"n":{"$nin":[1,"2"]}}"#, [2, 3, 4]),
    (#"{"s":{"$in":[{"$regularExpression":{"pattern":"^a","options":"i"}}]}}"#, [1, 2]),
    (#"{"s":null}"#, [3, 5]),
    (#"{"s":{"$exists":true}}"#, [1, 2, 3, 4]),
    (#"{"s":{"$exists":false}}"#, [5]),
    (#"{"s":{"$gte":null}}"#, [3, 5]),
    (#"{"s":{"$gt":null}}"#, []),
    (#"{"s":{"$type":"null"}}"#, [3]),
    (#"{"n":{"$type":["double","decimal"]}}"#, [3, 4]),
    (#"{"n":{"$type":"number"}}"#, [1, 2, 3, 4]),
    (#"{"n":{"$type":2}}"#, [5]),
    (#"{"list":{"$type":"array"}}"#, [1, 2, 3, 5]),
    (#"{"$and":[{"n":{"$gt":1}},{"s":"Ab"}]}"#, [2]),
    (#"{"$or":[{"n":1},{"b":true}]}"#, [1, 5]),
    (#"{"$nor":[{"n":1},{"b":true}]}"#, [2, 3, 4]),
    (#"{"n":{"$not":{"$gt":1}}}"#, [1, 5]),
    (#"{"s":{"$not":{"$regularExpression":{"pattern":"b","options":""}}}}"#, [1, 3, 5]),
    (#"{"list":2}"#, [1]),
    (#"{"list":[1,2,3]}"#, [1]),
    (#"{"list":{"$all":[3,1]}}"#, [1]),
    (#"{"list":{"$all":[]}}"#, []),
    (#"{"list":{"$all":[{"$elemMatch":{"a":1}},{"$elemMatch":{"b":1}}]}}"#, [3]),
    (#"{"list":{"$size":0}}"#, [2]),
    (#"{"list":{"$elemMatch":{"$gt":2,"$lt":4}}}"#, [1]),
    (#"{"list":{"$elemMatch":{"a":1,"b":1}}}"#, []),
    (#"{"list":{"$elemMatch":{"a":2,"b":1}}}"#, [3]),
    (#"{"list":{"$elemMatch":{"$or":[{"a":9},{"b":2}]}}}"#, [3]),
    (#"{"list.a":2}"#, [3]),
    (#"{"list.0":1}"#, [1]),
    (#"{"list.0.a":{"$lt":2}}"#, [3]),
    (#"{"sub.x":{"$gt":1}}"#, [2]),
    (#"{"sub.y.z":2}"#, [1]),
    (#"{"sub":{"x":2}}"#, [2]),
    (#"{"n":{"$mod":[2,1]}}"#, [1]),
    (#"{"n":{"$mod":[-1,0]}}"#, [1, 2, 3, 4]),
    (#"{"s":{"$regex":"^b$"}}"#, []),
    (#"{"s":{"$regex":"^ab","$options":"im"}}"#, [2, 4]),
    (#"{"d":{"$lt":{"$date":{"$numberLong":"1577836800001"}}}}"#, [4]),
    (#"{"o":{"$oid":"0123456789abcdef01234567"}}"#, [5]),
    (#"{"$expr":{"$gt":[{"$add":["$_id",1]},5]}}"#, [5]),
    (#"{"$comment":"why","n":{"$comment":"why","$eq":1}}"#, [1]),
    (#"{"":null}"#, [1, 2, 3, 4, 5]), (#"{"":{"$exists":false},"n":1}"#, [1]), (#"{"":1}"#, []),
    (#"{"$or":[{"":7},{"n":2}]}"#, [2]),
  ])
  func anOperatorFindsItsDocuments(_ query: String, _ expected: [Int64]) throws {
    try expectEqual(Self.ids(query), expected, "\(query)")
  }

  /// Keys have no order in Swift's documents.
  @Test func equalDocumentsMayHaveTheirKeysInAnyOrder() throws {
    try expectEqual(Self.ids(#"{"list":{"b":1,"a":2}}"#), [3])
  }

  @Test(arguments: [
    (#"{"$where":"1"}"#, "unknown top level operator: $where"),
    (#"{"$text":{"$search":"a"}}"#, "unknown top level operator: $text"),
    (#"{"$jsonSchema":{}}"#, "unknown top level operator: $jsonSchema"),
    (#"{"p":{"$near":[1,2]}}"#, "unknown operator: $near"),
    (#"{"p":{"$geoWithin":{}}}"#, "unknown operator: $geoWithin"),
    (#"{"p":{"$bitsAllSet":1}}"#, "unknown operator: $bitsAllSet"),
    (#"{"p":{"$not":{"$near":1}}}"#, "unknown operator: $near"),
    (#"{"p":{"$elemMatch":{"$where":1}}}"#, "unknown operator: $where"),
    (#"{"$and":[]}"#, "$and needs to be an array with queries"),
    (#"{"$or":{"a":1}}"#, "$or needs to be an array with queries"),
    (#"{"a":{"$in":1}}"#, "$in needs an array"),
    (#"{"a":{"$mod":[0,1]}}"#, "$mod has the divisor 0"),
    (#"{"a":{"$mod":[1]}}"#, "$mod needs a divisor and a remainder"),
    (#"{"a":{"$size":-1}}"#, "$size needs a number that is not negative"),
    (#"{"a":{"$type":"json"}}"#, "unknown type of $type: \"json\""),
    (#"{"a":{"$not":1}}"#, "$not needs operators or a regular expression"),
    (#"{"a":{"$options":"i"}}"#, "$options needs a $regex"),
    (
      #"{"a":{"$regex":"(?=b)"}}"#,
      "$regex has a group '(?…', of which '(?:…)' alone is supported"
    ),
    (#"{"a":{"$regex":"(a)\\1"}}"#, "$regex has the escape '\\1', which is not supported"),
    (#"{"a":{"$regex":"a","$options":"q"}}"#, "$regex has the unknown option 'q'"),
    (#"{"a..b":1}"#, "'a..b' is no path of a document"),
    (#"{"$expr":{"$function":1}}"#, "unknown operator of expressions: $function"),
    (#"[]"#, "a query needs to be a document"),
  ])
  func whatIsNotCarriedOutIsRefusedByName(_ query: String, _ message: String) throws {
    let error = #expect(throws: DocumentError.self) { try Self.ids(query) }
    expectEqual(error.map { "\($0)" }, message)
  }

  @Test func nestingIsBounded() throws {
    let deep =
      String(repeating: #"{"$nor":["#, count: 45) + "{}" + String(repeating: "]}", count: 45)
    #expect(throws: DocumentError.badArgument("the query is nested too deeply")) {
      try Self.ids(deep)
    }
  }

  /// Numbers are compared exactly, whatever their types.
  @Test(arguments: [
    (BSONValue.int64(9_007_199_254_740_993), BSONValue.double(9_007_199_254_740_992), 1),
    (.int64(.max), .double(9.3e18), -1), (.int32(1), .double(1.5), -1),
    (.decimal("1.0"), .int32(1), 0), (.double(.nan), .int32(-5), -1),
    (.decimal("NaN"), .double(.nan), 0), (.decimal("0.1"), .double(0.1), -1),
    (.null, .int32(0), -1), (.string("b"), .string("ab"), 1), (.minKey, .null, -1),
    (.array([.int32(1)]), .array([.int32(1), .int32(0)]), -1),
  ])
  func valuesHaveAnOrder(_ left: BSONValue, _ right: BSONValue, _ order: Int) {
    expectEqual(BSONOrder.compare(left, right).signum(), order)
    expectEqual(BSONOrder.compare(right, left).signum(), -order)
  }
}
#endif
