// SPDX-License-Identifier: Apache-2.0

// Pipelines whose values grow with each stage: they share memory, so a small one could be large to
// walk, and two steps more would be four times as much. All end soon, in little memory.

#if Server
import Foundation
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerServices

@Suite(.heavy)
struct DocumentGrowthTests {
  #if os(Linux)
  /// Pipelines run in a process whose memory and processor time are limited by the system: without
  /// limits of the server it would take all of the machine, for ever.
  @Test func allThatMakesValuesGrowHasALimit() async {
    await #expect(processExitsWith: .success) {
      try Growth.limitProcess()
      for operation in ExpressionOperator.allCases {
        let expression = try #require(Growth.expressions[operation], "\(operation) has no row")
        let outcome = try Growth.outcome(Growth.doubled(#"{"$set":{"x":\#(expression)}}"#))
        let grows = expression.contains(#""$x","$x""#) || operation == .concat
        try #require(outcome == (grows ? .limit : .result), "\(operation)")
      }
      for name in DocumentStage.Name.allCases {
        let stage = try #require(Growth.stages[name], "\(name) has no row")
        try #require(try Growth.outcome(Growth.doubled(stage)) == .limit, "\(name)")
      }
      for kind in GroupAccumulator.Kind.allCases {
        let value = kind == .count ? "{}" : #"["$x","$x"]"#
        let outcome = try Growth.outcome(
          Growth.doubled(#"{"$group":{"_id":"$_id","x":{"\#(kind.rawValue)":\#(value)}}}"#))
        let adds = [.sum, .count, .average].contains(kind)
        try #require(outcome == (adds ? .result : .limit), "\(kind)")
      }
    }
  }

  @Test func randomPipelinesThatGrowEnd() async {
    await #expect(processExitsWith: .success) {
      try Growth.limitProcess()
      var limitCount = 0
      for seed in 1...50 as ClosedRange<UInt64> {
        let outcome = try Growth.outcome(Growth.random(seed))
        try #require(outcome != .late, "seed \(seed)")
        if outcome == .limit { limitCount += 1 }
      }
      try #require(limitCount > 15, "\(limitCount)")
    }
  }
  #endif

  /// The limits of a call are those of the deployed ones, so what is below them works.
  @Test func whatIsBelowTheLimitIsMade() throws {
    let half = String(repeating: "a", count: 4_000)
    let limits = DocumentLimits(valueByteCount: 15_000)
    func run(_ stages: [String]) throws -> Int {
      try Growth.run(stages, limits: limits, document: #"{"_id":1,"x":"\#(half)"}"#).count
    }
    let doubling = #"{"$set":{"x":{"$concat":["$x","$x"]}}}"#
    try expectEqual(run([doubling]), 1)
    #expect(throws: Growth.tooLarge(15_000)) { try run([doubling, doubling]) }
    // What one document needed is not taken from the next one, nor one stage's from the next.
    let group = #"{"$group":{"_id":{"$concat":["$x","$x"]},"n":{"$sum":1}}}"#
    try expectEqual(
      run(Array(repeating: #"{"$set":{"y":{"$concat":["$x","$x"]}}}"#, count: 20) + [group]), 1)
  }

  /// A text of separators makes a part for each byte.
  @Test func thePartsOfATextAreCounted() throws {
    let document = #"{"_id":1,"x":"\#(String(repeating: " ", count: 1000))"}"#
    let split = [#"{"$set":{"x":{"$split":["$x"," "]}}}"#]
    #expect(throws: Growth.tooLarge(15_000)) {
      try Growth.run(split, limits: DocumentLimits(valueByteCount: 15_000), document: document)
    }
    try expectEqual(
      Growth.run(split, limits: DocumentLimits(valueByteCount: 150_000), document: document).count,
      1)
  }

  /// Indices and names both lead on in arrays of documents: a path of few steps has many ends.
  @Test func theEndsOfAPathAreCounted() throws {
    var value = #"1"#
    for _ in 0..<31 { value = #"[{"0":\#(value)}]"# }
    let path = "x" + String(repeating: ".0", count: 46)
    for stage in [
      #"{"$match":{"\#(path)":1}}"#, #"{"$sort":{"\#(path)":1}}"#,
      #"{"$lookup":{"from":"o","localField":"\#(path)","foreignField":"a","as":"b"}}"#,
    ] {
      #expect(throws: Growth.tooLarge(20_000)) {
        try Growth.run(
          [stage], limits: DocumentLimits(valueByteCount: 20_000), document: #"{"x":\#(value)}"#)
      }
    }
  }

  /// A place beyond the end of an array makes all the places before it.
  @Test func whatUpdatesPadIsCounted() throws {
    let arrays = (0..<100).map { _ in "[]" }.joined(separator: ",")
    let document = try ExtendedJSONReader.parse(#"{"_id":1,"x":[\#(arrays)]}"#)
    let fields = (0..<100).map { #""x.\#($0).9999":1"# }.joined(separator: ",")
    let update = try DocumentUpdate(
      operators: ExtendedJSONReader.parse(#"{"$set":{\#(fields)}}"#))
    var work = DocumentWork(DocumentLimits(valueByteCount: 1 << 20), now: { 0 })
    #expect(throws: Growth.tooLarge(1 << 20)) {
      try update.applied(
        to: document, isNew: false, now: .init(milliseconds: 0), &work)
    }
  }

  /// A control character is six in the answer.
  @Test func aResultCountsAsTheTextThatIsSent() throws {
    let limits = DocumentLimits(resultByteCount: 4_000)
    func check(_ text: String) throws(DocumentError) {
      var work = DocumentWork(limits, now: { 0 })
      try work.checkResult([.document([BSONElement("a", .string(text))])])
    }
    try check(String(repeating: "a", count: 3_000))
    for text in [String(repeating: "\u{1}", count: 1_000), String(repeating: "\"", count: 3_000)] {
      #expect(throws: DocumentError.self) { try check(text) }
    }
  }

  @Test func valuesHaveALimitOfLevels() throws {
    let nested = Array(repeating: #"{"$set":{"x":["$x"]}}"#, count: 100)
    #expect(
      throws: DocumentError.tooLarge("a value of the call is nested more than 100 levels deep")
    ) {
      try Growth.run(nested, limits: DocumentLimits(), document: #"{"x":1}"#)
    }
    try expectEqual(
      Growth.run(Array(nested[..<98]), limits: DocumentLimits(), document: #"{"x":1}"#).count, 1)
  }
}

/// What makes values grow, and the runs of it.
private enum Growth {
  /// One that makes as much as it can of `x`, for each function.
  static let expressions: [ExpressionOperator: String] = [
    .add: #"{"$add":["$n","$n"]}"#, .subtract: #"{"$subtract":["$n","$n"]}"#,
    .multiply: #"{"$multiply":["$n","$n"]}"#, .divide: #"{"$divide":["$n",2]}"#,
    .mod: #"{"$mod":["$n",2]}"#, .abs: #"{"$abs":"$n"}"#, .ceil: #"{"$ceil":1.5}"#,
    .floor: #"{"$floor":1.5}"#, .equal: #"[{"$eq":["$x","$x"]},"$x","$x"]"#,
    .notEqual: #"[{"$ne":["$x","$x"]},"$x","$x"]"#, .less: #"[{"$lt":["$x","$x"]},"$x","$x"]"#,
    .lessOrEqual: #"[{"$lte":["$x","$x"]},"$x","$x"]"#,
    .greater: #"[{"$gt":["$x","$x"]},"$x","$x"]"#,
    .greaterOrEqual: #"[{"$gte":["$x","$x"]},"$x","$x"]"#,
    .compare: #"[{"$cmp":["$x","$x"]},"$x","$x"]"#, .and: #"[{"$and":["$x"]},"$x","$x"]"#,
    .or: #"[{"$or":["$x"]},"$x","$x"]"#, .not: #"[{"$not":["$x"]},"$x","$x"]"#,
    .condition: #"{"$cond":[true,["$x","$x"],1]}"#, .ifNull: #"{"$ifNull":[["$x","$x"],1]}"#,
    .concat: #"{"$concat":[{"$toString":"$x"},{"$toString":"$x"}]}"#,
    .toLower: #"{"$toLower":"$s"}"#,
    .toUpper: #"{"$toUpper":"$s"}"#, .toString: #"{"$toString":"$s"}"#,
    .length: #"{"$strLenCP":"$s"}"#, .size: #"[{"$size":[["$x","$x"]]},"$x","$x"]"#,
    .split: #"[{"$split":["$s"," "]},"$x","$x"]"#,
    .isIn: #"[{"$in":["$x",["$x","$x"]]},"$x","$x"]"#,
    .element: #"{"$arrayElemAt":[[["$x","$x"]],0]}"#, .sum: #"[{"$sum":"$x"},"$x","$x"]"#,
    .average: #"[{"$avg":"$x"},"$x","$x"]"#, .minimum: #"{"$min":[["$x","$x"],["$x","$x"]]}"#,
    .maximum: #"{"$max":[["$x","$x"],["$x","$x"]]}"#,
  ]

  /// Stages for each name, with a comma between two of them.
  static let stages: [DocumentStage.Name: String] = [
    .match: #"{"$set":{"x":["$x","$x"]}},{"$match":{"$expr":{"$eq":["$x","$x"]}}}"#,
    .project: #"{"$project":{"s":1,"n":1,"x":["$$ROOT","$$ROOT"]}}"#,
    .unset: #"{"$set":{"x":{"a":"$x","b":"$x","c":1}}},{"$unset":"x.c"}"#,
    .sort: #"{"$set":{"x":["$x","$x"]}},{"$sort":{"x":1}}"#,
    .limit: #"{"$set":{"x":["$x","$x"]}},{"$limit":5}"#,
    .skip: #"{"$set":{"x":["$x","$x"]}},{"$skip":0}"#,
    .group: #"{"$group":{"_id":["$x","$x"],"x":{"$push":["$$ROOT","$_id"]}}}"#,
    .count: #"{"$set":{"x":["$x","$x"]}},{"$set":{"x":["$x","$x"]}}"#,
    .unwind: #"{"$set":{"x":["$x","$x"]}},{"$unwind":"$x"}"#,
    .addFields: #"{"$addFields":{"y":"$$ROOT","z":"$$ROOT"}}"#,
    .set: #"{"$set":{"x":["$$ROOT","$$ROOT"]}}"#,
    .replaceRoot: #"{"$replaceRoot":{"newRoot":{"a":"$$ROOT","b":"$$ROOT","x":1}}}"#,
    .replaceWith: #"{"$replaceWith":{"s":"$s","x":["$$ROOT","$$ROOT"]}}"#,
    .lookup: #"{"$lookup":{"from":"o","localField":"y","foreignField":"z","as":"z"}},"#
      + #"{"$set":{"x":["$x","$x","$z"]}}"#,
  ]

  /// As many of a stage as a pipeline has, which could never end.
  static func doubled(_ stages: String) -> [String] {
    Array(repeating: stages, count: 32)
  }

  static func random(_ seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    let operations = ExpressionOperator.allCases.compactMap { expressions[$0] }
    let stages = DocumentStage.Name.allCases.compactMap { Self.stages[$0] }
    var pipeline: [String] = []
    for _ in 0..<Int.random(in: 16...32, using: &generator) {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: pipeline.append(stages.randomElement(using: &generator) ?? "")
      case 1:
        let kind = GroupAccumulator.Kind.allCases.randomElement(using: &generator) ?? .push
        let value = kind == .count ? "{}" : #"["$x","$$ROOT"]"#
        pipeline.append(
          #"{"$group":{"_id":"$_id","x":{"\#(kind.rawValue)":\#(value)},"n":{"$max":1},"#
            + #""s":{"$first":"$s"}}}"#)
      default:
        let field = ["x", "y", "z"].randomElement(using: &generator) ?? "x"
        let parts = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
          operations.randomElement(using: &generator) ?? ""
        }
        pipeline.append(#"{"$set":{"\#(field)":[\#(parts.joined(separator: ","))]}}"#)
      }
    }
    return pipeline
  }

  static func tooLarge(_ byteCount: Int) -> DocumentError {
    .tooLarge("a value of the call is larger than \(byteCount) bytes: make smaller ones")
  }

  /// The system ends the process where the server does not end a call.
  static func limitProcess() throws {
    #if os(Linux)
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
    limit.rlim_cur = pages * rlim_t(sysconf(Int32(_SC_PAGESIZE))) + 64 << 20
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    var time = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
    time.rlim_cur = 120
    try #require(setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time) == 0)
    #endif
  }

  /// How a run ended.
  enum Outcome {
    case result
    /// A value, or what was kept, was too large.
    case limit
    /// The time was over.
    case late
    /// A value did not fit a function.
    case misfit
  }

  static func outcome(_ stages: [String]) throws -> Outcome {
    let limits = DocumentLimits(
      resultByteCount: 1 << 20, keptByteCount: 2 << 20, valueByteCount: 1 << 18, time: 2_000)
    var results: [BSONValue] = []
    do throws(DocumentError) {
      results = try run(stages, limits: limits, document: #"{"_id":1,"x":1,"n":1,"s":"a"}"#)
    } catch {
      switch error {
      case .tooLarge: return .limit
      case .tooLong: return .late
      case .failed: return .misfit
      default: throw error
      }
    }
    try #require(results.reduce(0) { $0 + $1.approximateByteCount } <= limits.resultByteCount)
    return .result
  }

  /// The clock advances by one with each reading, so a run has a limit of steps.
  static func run(
    _ stages: [String], limits: DocumentLimits, document: String
  ) throws(DocumentError) -> [BSONValue] {
    let time = Counter()
    var work = DocumentWork(limits, now: { time.next() })
    guard let value = try? ExtendedJSONReader.parse("[" + stages.joined(separator: ",") + "]"),
      let document = try? ExtendedJSONReader.parse(document)
    else { throw .badArgument("a pipeline of the test is no JSON") }
    var pipeline = try DocumentPipeline(value, limits: limits) {
      (name, query, work) throws(DocumentError) in
      [document, document]
    }
    if try pipeline.query.matches(document, &work) { _ = try pipeline.add(document, &work) }
    try pipeline.finish(&work)
    try work.checkResult(pipeline.results)
    return pipeline.results
  }
}

/// A time that advances when it is read.
private final class Counter: Sendable {
  private let count = Locked<UInt64>(0)

  func next() -> UInt64 {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
#endif
