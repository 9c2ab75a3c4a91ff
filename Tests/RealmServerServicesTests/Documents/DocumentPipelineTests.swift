// SPDX-License-Identifier: Apache-2.0

// The stages of pipelines, and the functions of their expressions.

#if Server
import RealmFormats
import TestExtensions
import Testing

@testable import RealmServerServices

struct DocumentPipelineTests {
  private static let documents = [
    #"{"_id":1,"c":"a","n":1,"l":[1,2]}"#, #"{"_id":2,"c":"b","n":5,"l":[]}"#,
    #"{"_id":3,"c":"a","n":3,"l":[2]}"#, #"{"_id":4,"c":"b","n":4}"#,
  ]

  private static func run(
    _ pipeline: String, limits: DocumentLimits = DocumentLimits()
  ) throws -> String {
    var work = DocumentWork(limits, now: { 0 })
    var pipeline = try DocumentPipeline(ExtendedJSONReader.parse(pipeline), limits: limits) {
      (name, query, work) throws(DocumentError) in
      expectEqual(name, "other")
      var found: [BSONValue] = []
      for text in [#"{"_id":"x","k":1}"#, #"{"_id":"y","k":3}"#, #"{"_id":"z","k":1}"#] {
        guard let document = try? ExtendedJSONReader.parse(text) else { continue }
        if try query.matches(document, &work) { found.append(document) }
      }
      return found
    }
    for text in documents {
      let document = try ExtendedJSONReader.parse(text)
      guard try pipeline.query.matches(document, &work) else { continue }
      if try !pipeline.add(document, &work) { break }
    }
    try pipeline.finish(&work)
    return DocumentBench.text(.array(pipeline.results))
  }

  @Test(arguments: [
    (#"[]"#, "[" + documents.joined(separator: ",") + "]"),
    (#"[{"$match":{"c":"a"}},{"$project":{"n":1}}]"#, #"[{"_id":1,"n":1},{"_id":3,"n":3}]"#),
    (#"[{"$project":{"_id":0,"n":1}},{"$match":{"n":{"$gt":3}}}]"#, #"[{"n":5},{"n":4}]"#),
    (
      #"[{"$limit":1},{"$project":{"l":0}}]"#, #"[{"_id":1,"c":"a","n":1}]"#
    ),
    (
      #"[{"$limit":1},{"$project":{"x":{"$add":["$n",1]},"y":"$c"}}]"#,
      #"[{"_id":1,"x":2,"y":"a"}]"#
    ),
    (#"[{"$sort":{"n":-1}},{"$project":{"n":1,"_id":0}}]"#, #"[{"n":5},{"n":4},{"n":3},{"n":1}]"#),
    (
      #"[{"$sort":{"c":-1,"n":1}},{"$project":{"_id":1}}]"#,
      #"[{"_id":4},{"_id":2},{"_id":1},{"_id":3}]"#
    ),
    (#"[{"$skip":1},{"$limit":2},{"$project":{"_id":1}}]"#, #"[{"_id":2},{"_id":3}]"#),
    (#"[{"$match":{"n":{"$gt":1}}},{"$count":"all"}]"#, #"[{"all":3}]"#),
    (#"[{"$match":{"n":9}},{"$count":"all"}]"#, "[]"),
    (
      #"[{"$group":{"_id":"$c","s":{"$sum":"$n"},"c":{"$sum":1},"a":{"$avg":"$n"}}}]"#,
      #"[{"_id":"a","s":4,"c":2,"a":2.0},{"_id":"b","s":9,"c":2,"a":4.5}]"#
    ),
    (
      #"[{"$group":{"_id":null,"l":{"$min":"$n"},"h":{"$max":"$n"},"f":{"$first":"$c"},"#
        + #""z":{"$last":"$n"},"p":{"$push":"$n"},"q":{"$addToSet":"$c"},"k":{"$count":{}}}}]"#,
      #"[{"_id":null,"l":1,"h":5,"f":"a","z":4,"p":[1,5,3,4],"q":["a","b"],"k":4}]"#
    ),
    (
      #"[{"$unwind":"$l"},{"$project":{"l":1}}]"#,
      #"[{"_id":1,"l":1},{"_id":1,"l":2},{"_id":3,"l":2}]"#
    ),
    (
      #"[{"$unwind":{"path":"$l","preserveNullAndEmptyArrays":true,"includeArrayIndex":"i"}},"#
        + #"{"$project":{"l":1,"i":1}}]"#,
      #"[{"_id":1,"l":1,"i":0},{"_id":1,"l":2,"i":1},{"_id":2},{"_id":3,"l":2,"i":0},{"_id":4}]"#
    ),
    (
      #"[{"$limit":1},{"$addFields":{"d":{"$multiply":["$n",10]},"l":"$$REMOVED"}}]"#, ""
    ),
    (
      #"[{"$limit":1},{"$set":{"d":{"$size":"$l"}}},{"$unset":["l","c"]}]"#,
      #"[{"_id":1,"n":1,"d":2}]"#
    ),
    (#"[{"$limit":1},{"$replaceRoot":{"newRoot":{"a":"$n"}}}]"#, #"[{"a":1}]"#),
    (#"[{"$limit":1},{"$replaceWith":{"whole":"$$ROOT.c"}}]"#, #"[{"whole":"a"}]"#),
    (
      #"[{"$match":{"c":"a"}},{"$lookup":{"from":"other","localField":"n","foreignField":"k","#
        + #""as":"o"}},{"$project":{"o._id":1}}]"#,
      #"[{"_id":1,"o":[{"_id":"x"},{"_id":"z"}]},{"_id":3,"o":[{"_id":"y"}]}]"#
    ),
  ])
  func aStageChangesTheDocuments(_ pipeline: String, _ expected: String) throws {
    guard !expected.isEmpty else {
      let error = #expect(throws: DocumentError.self) { try Self.run(pipeline) }
      expectEqual(error.map { "\($0)" }, "the variable $$REMOVED of expressions is not supported")
      return
    }
    try expectEqual(Self.run(pipeline), expected)
  }

  @Test(arguments: [
    (#"{"$add":[1,{"$numberDouble":"0.5"}]}"#, "1.5"), (#"{"$subtract":[5,"$n"]}"#, "4"),
    (#"{"$multiply":[2,3,4]}"#, "24"), (#"{"$divide":[1,2]}"#, "0.5"), (#"{"$mod":[7,3]}"#, "1"),
    (#"{"$abs":-3}"#, "3"), (#"{"$ceil":{"$numberDouble":"1.2"}}"#, "2.0"),
    (#"{"$floor":{"$numberDouble":"1.8"}}"#, "1.0"), (#"{"$add":[1,null]}"#, "null"),
    (#"{"$eq":["$n",1]}"#, "true"), (#"{"$ne":["$n",1]}"#, "false"),
    (#"{"$lt":["$n",1]}"#, "false"),
    (#"{"$lte":["$n",1]}"#, "true"), (#"{"$gt":["$n",0]}"#, "true"),
    (#"{"$gte":["$n",2]}"#, "false"),
    (#"{"$cmp":["a","b"]}"#, "-1"), (#"{"$and":[1,"$n"]}"#, "true"),
    (#"{"$or":[0,null]}"#, "false"),
    (#"{"$not":[0]}"#, "true"), (#"{"$cond":["$n","y","n"]}"#, #""y""#),
    (#"{"$cond":{"if":false,"then":1,"else":2}}"#, "2"), (#"{"$ifNull":["$zz","d"]}"#, #""d""#),
    (#"{"$concat":["$c","-","x"]}"#, #""a-x""#), (#"{"$concat":["a",null]}"#, "null"),
    (#"{"$split":["a, b, c",", "]}"#, #"["a","b","c"]"#),
    (#"{"$split":["aaa","aa"]}"#, #"["","a"]"#), (#"{"$split":["$c","x"]}"#, #"["a"]"#),
    (#"{"$split":["aabaaab","aab"]}"#, #"["","a",""]"#), (#"{"$split":["","x"]}"#, #"[""]"#),
    (#"{"$split":["äöü","ö"]}"#, #"["ä","ü"]"#), (#"{"$split":[null,"x"]}"#, "null"),
    (#"{"$split":["$missing","x"]}"#, "null"),
    (#"{"$toLower":"AB"}"#, #""ab""#), (#"{"$toUpper":"ab"}"#, #""AB""#),
    (#"{"$toString":"$n"}"#, #""1""#), (#"{"$strLenCP":"é"}"#, "1"), (#"{"$size":"$l"}"#, "2"),
    (#"{"$in":[2,"$l"]}"#, "true"), (#"{"$arrayElemAt":["$l",-1]}"#, "2"),
    (#"{"$sum":"$l"}"#, "3"), (#"{"$avg":["$n",2]}"#, "1.5"), (#"{"$min":"$l"}"#, "1"),
    (#"{"$max":[1,5,3]}"#, "5"), (#"{"$literal":"$n"}"#, #""$n""#), (#"["$n",2]"#, "[1,2]"),
    (
      #"{"$subtract":[{"$date":{"$numberLong":"5"}},{"$date":{"$numberLong":"2"}}]}"#, "3"
    ),
    (
      #"{"$add":[{"$date":{"$numberLong":"5"}},2]}"#, #"{"$date":{"$numberLong":"7"}}"#
    ),
  ])
  func anExpressionHasAValue(_ expression: String, _ expected: String) throws {
    let result = try Self.run(
      #"[{"$limit":1},{"$project":{"_id":0,"v":{"$ifNull":[\#(expression),null]}}}]"#)
    expectEqual(result, #"[{"v":\#(expected)}]"#)
  }

  /// `DocumentProjection` 1
  @Test(arguments: [
    (#"[{"$out":"x"}]"#, "unrecognized pipeline stage name: '$out'"),
    (#"[{"$merge":{}}]"#, "unrecognized pipeline stage name: '$merge'"),
    (#"[{"$facet":{}}]"#, "unrecognized pipeline stage name: '$facet'"),
    (#"[{"$match":{"$where":1}}]"#, "unknown top level operator: $where"),
    (#"[{"$group":{"a":{"$sum":1}}}]"#, "$group needs an _id"),
    (#"[{"$group":{"_id":1,"a":{"$stdDevPop":1}}}]"#, "unknown group operator '$stdDevPop'"),
    (#"[{"$limit":0}]"#, "$limit needs a number from 1 on"),
    (#"[{"$unwind":"l"}]"#, "$unwind needs a path that begins with $"),
    (#"[{"$lookup":{"from":"a","let":{}}}]"#, "$lookup with let is not supported"),
    (#"[{"$sort":{"a":2}}]"#, "the sort by 'a' has another direction than 1 and -1"),
    (#"[{"$project":{"a":{"$map":1}}}]"#, "unknown operator of expressions: $map"),
    (
      #"[{"$project":{"a":1,"b":0}}]"#,
      "a projection names fields that stay or fields that go, not both"
    ),
    (#"[{"$match":{}, "$limit":1}]"#, "a stage of a pipeline is a document with one field"),
    (#"{}"#, "a pipeline needs to be an array"),
    (#"[{"$project":{"a":{"$add":["$c",1]}}}]"#, "$add needs numbers"),
    (#"[{"$project":{"a":{"$divide":[1,0]}}}]"#, "$divide by zero"),
    (
      #"[{"$project":{"a":{"$split":["a",""]}}}]"#,
      "$split needs a string and one to split it at, which is not empty"
    ),
    (
      #"[{"$project":{"a":{"$split":[1,"a"]}}}]"#,
      "$split needs a string and one to split it at, which is not empty"
    ),
    (#"[{"$replaceWith":"$n"}]"#, "the new root of a document is no document"),
    (#"[{"$project":{"a":{"$cond":[1]}}}]"#, "$cond has 1 arguments, which is not what it takes"),
  ])
  func whatIsNotCarriedOutIsRefusedByName(_ pipeline: String, _ message: String) throws {
    let error = #expect(throws: DocumentError.self) { try Self.run(pipeline) }
    expectEqual(error.map { "\($0)" }, message)
  }

  /// `DocumentPipeline` 1
  @Test func pipelinesHaveALimitOfStagesAndOfMemory() throws {
    let limits = DocumentLimits(keptByteCount: 300, stageCount: 2)
    #expect(throws: DocumentError.badArgument("a pipeline has at most 2 stages")) {
      try Self.run(#"[{"$skip":1},{"$skip":1},{"$skip":1}]"#, limits: limits)
    }
    for stage in [#"{"$sort":{"n":1}}"#, #"{"$group":{"_id":null,"a":{"$push":"$$ROOT"}}}"#] {
      let error = #expect(throws: DocumentError.self) { try Self.run("[\(stage)]", limits: limits) }
      guard case .tooLarge? = error else {
        Issue.record("\(stage): \(String(describing: error))")
        continue
      }
    }
    try expectEqual(Self.run(#"[{"$count":"n"}]"#, limits: limits), #"[{"n":4}]"#)
  }
}
#endif
