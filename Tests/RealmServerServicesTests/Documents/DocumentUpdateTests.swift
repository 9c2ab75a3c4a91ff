// SPDX-License-Identifier: Apache-2.0

// The operators of updates, one after the other.

#if Server
import RealmFormats
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerServices

struct DocumentUpdateTests {
  private static func updated(
    _ document: String, _ update: String, isNew: Bool = false
  ) throws -> String {
    var work = DocumentWork(DocumentLimits(), now: { 0 })
    let update = try DocumentUpdate(operators: ExtendedJSONReader.parse(update))
    return DocumentBench.text(
      try update.applied(
        to: ExtendedJSONReader.parse(document), isNew: isNew,
        now: OriginTimestamp(milliseconds: 1_000), &work))
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"$set":{"a":2,"b":3}}"#, #"{"a":2,"b":3}"#),
    (#"{"a":{"b":1}}"#, #"{"$set":{"a.b":2,"a.c.d":3}}"#, #"{"a":{"b":2,"c":{"d":3}}}"#),
    (#"{"a":[1,2]}"#, #"{"$set":{"a.1":5,"a.3":6}}"#, #"{"a":[1,5,null,6]}"#),
    (#"{"a":[{"b":1}]}"#, #"{"$set":{"a.0.b":5}}"#, #"{"a":[{"b":5}]}"#),
    (#"{"a":1,"b":2}"#, #"{"$unset":{"a":""}}"#, #"{"b":2}"#),
    (#"{"a":{"b":1,"c":2}}"#, #"{"$unset":{"a.b":""}}"#, #"{"a":{"c":2}}"#),
    (#"{"a":[1,2]}"#, #"{"$unset":{"a.0":""}}"#, #"{"a":[null,2]}"#),
    (#"{"a":1}"#, #"{"$inc":{"a":2,"b":3}}"#, #"{"a":3,"b":3}"#),
    (#"{"a":1}"#, #"{"$inc":{"a":{"$numberDouble":"0.5"}}}"#, #"{"a":1.5}"#),
    (#"{"a":2}"#, #"{"$mul":{"a":3,"b":3}}"#, #"{"a":6,"b":0}"#),
    (#"{"a":2,"b":2}"#, #"{"$min":{"a":1,"b":3,"c":4}}"#, #"{"a":1,"b":2,"c":4}"#),
    (#"{"a":2,"b":2}"#, #"{"$max":{"a":1,"b":3,"c":4}}"#, #"{"a":2,"b":3,"c":4}"#),
    (#"{"a":1,"c":2}"#, #"{"$rename":{"a":"b.x","z":"y"}}"#, #"{"c":2,"b":{"x":1}}"#),
    (#"{"a":1}"#, #"{"$setOnInsert":{"a":2}}"#, #"{"a":1}"#),
    (
      #"{"a":1}"#, #"{"$currentDate":{"t":true}}"#,
      #"{"a":1,"t":{"$date":{"$numberLong":"1420070401000"}}}"#
    ),
    (#"{"l":[1]}"#, #"{"$push":{"l":2,"m":3}}"#, #"{"l":[1,2],"m":[3]}"#),
    (#"{"l":[1]}"#, #"{"$push":{"l":[2,3]}}"#, #"{"l":[1,[2,3]]}"#),
    (#"{"l":[1]}"#, #"{"$push":{"l":{"$each":[2,3]}}}"#, #"{"l":[1,2,3]}"#),
    (#"{"l":[1,2]}"#, #"{"$push":{"l":{"$each":[8,9],"$position":1}}}"#, #"{"l":[1,8,9,2]}"#),
    (#"{"l":[1,2]}"#, #"{"$push":{"l":{"$each":[9],"$position":-1}}}"#, #"{"l":[1,9,2]}"#),
    (#"{"l":[1,2]}"#, #"{"$push":{"l":{"$each":[3],"$slice":-2}}}"#, #"{"l":[2,3]}"#),
    (#"{"l":[1,2]}"#, #"{"$push":{"l":{"$each":[3],"$slice":2}}}"#, #"{"l":[1,2]}"#),
    (#"{"l":[3,1]}"#, #"{"$push":{"l":{"$each":[2],"$sort":-1}}}"#, #"{"l":[3,2,1]}"#),
    (
      #"{"l":[{"a":3},{"a":1}]}"#, #"{"$push":{"l":{"$each":[{"a":2}],"$sort":{"a":1}}}}"#,
      #"{"l":[{"a":1},{"a":2},{"a":3}]}"#
    ),
    (#"{"l":[1,2]}"#, #"{"$addToSet":{"l":2}}"#, #"{"l":[1,2]}"#),
    (#"{"l":[1]}"#, #"{"$addToSet":{"l":{"$each":[1,2,2]}}}"#, #"{"l":[1,2]}"#),
    (#"{"l":[1,2,3]}"#, #"{"$pop":{"l":1}}"#, #"{"l":[1,2]}"#),
    (#"{"l":[1,2,3]}"#, #"{"$pop":{"l":-1,"m":1}}"#, #"{"l":[2,3]}"#),
    (#"{"l":[1,2,1]}"#, #"{"$pull":{"l":1,"m":1}}"#, #"{"l":[2]}"#),
    (#"{"l":[1,5,9]}"#, #"{"$pull":{"l":{"$gt":4}}}"#, #"{"l":[1]}"#),
    (#"{"l":[{"a":1,"b":2},{"a":2}]}"#, #"{"$pull":{"l":{"a":1}}}"#, #"{"l":[{"a":2}]}"#),
    (#"{"l":[1,2,3,2]}"#, #"{"$pullAll":{"l":[2,3]}}"#, #"{"l":[1]}"#),
  ])
  func anOperatorChangesADocument(
    _ document: String, _ update: String, _ expected: String
  ) throws {
    try expectEqual(Self.updated(document, update), expected)
  }

  // MARK: Elements of arrays

  private static func filtered(
    _ document: String, _ update: String, _ filters: String
  ) throws -> String {
    var work = DocumentWork(DocumentLimits(), now: { 0 })
    let update = try DocumentUpdate(
      ExtendedJSONReader.parse(update), isMany: false,
      filters: ExtendedJSONReader.parse(filters))
    return DocumentBench.text(
      try update.applied(
        to: ExtendedJSONReader.parse(document), isNew: false,
        now: OriginTimestamp(milliseconds: 1_000), &work))
  }

  @Test(arguments: [
    (
      #"{"l":[{"a":1,"b":2},{"a":2},{"a":1}]}"#, #"{"$set":{"l.$[e].b":9}}"#, #"[{"e.a":1}]"#,
      #"{"l":[{"a":1,"b":9},{"a":2},{"a":1,"b":9}]}"#
    ),
    (#"{"l":[1,5,9]}"#, #"{"$inc":{"l.$[e]":1}}"#, #"[{"e":{"$gte":5}}]"#, #"{"l":[1,6,10]}"#),
    (#"{"l":[1,2]}"#, #"{"$mul":{"l.$[]":2}}"#, "[]", #"{"l":[2,4]}"#),
    (
      #"{"l":[{"m":[1,2]},{"m":[3]}]}"#, #"{"$set":{"l.$[].m.$[e]":0}}"#, #"[{"e":{"$gt":1}}]"#,
      #"{"l":[{"m":[1,0]},{"m":[0]}]}"#
    ),
    (
      #"{"l":[{"a":1},{"a":2},{"a":3}]}"#, #"{"$set":{"l.$[e].a":0}}"#,
      #"[{"$or":[{"e.a":1},{"e.a":3}]}]"#, #"{"l":[{"a":0},{"a":2},{"a":0}]}"#
    ),
    (
      #"{"l":[{"m":[1]},{"m":[2]}]}"#, #"{"$push":{"l.$[e].m":7}}"#, #"[{"e.m":2}]"#,
      #"{"l":[{"m":[1]},{"m":[2,7]}]}"#
    ),
    (#"{"l":[],"n":1}"#, #"{"$set":{"l.$[e]":1,"n":2}}"#, #"[{"e":1}]"#, #"{"l":[],"n":2}"#),
    (
      #"{"l":[1,2],"m":[1,2]}"#, #"{"$set":{"l.$[a]":8,"m.$[b]":9}}"#, #"[{"a":1},{"b":2}]"#,
      #"{"l":[8,2],"m":[1,9]}"#
    ),
  ])
  func filtersChooseElements(
    _ document: String, _ update: String, _ filters: String, _ expected: String
  ) throws {
    try expectEqual(Self.filtered(document, update, filters), expected)
  }

  @Test(arguments: [
    (#"{"$set":{"l.$[e]":1}}"#, "[]", "'arrayFilters' has no condition for 'e' of 'l.$[e]'"),
    (#"{"$set":{"l":1}}"#, #"[{"e":1}]"#, "the update does not use 'e' of 'arrayFilters'"),
    (
      #"{"$set":{"l.$[e]":1}}"#, #"[{"e":1},{"e.a":2}]"#,
      "'arrayFilters' has two conditions for 'e'"
    ),
    (#"{"$set":{"l.$[e]":1}}"#, #"{"e":1}"#, "'arrayFilters' needs to be an array of conditions"),
    (
      #"{"$set":{"l.$[e]":1}}"#, #"[{"e":1,"f":2}]"#,
      #"each of 'arrayFilters' is a condition about one name of small letters, as {"e.field": 1}"#
    ),
    (
      #"{"$set":{"l.$[e]":1}}"#, #"[{"E":1}]"#,
      #"each of 'arrayFilters' is a condition about one name of small letters, as {"e.field": 1}"#
    ),
    (#"{"$set":{"$[]":1}}"#, "[]", "the place $[] of arrays is not supported in updates"),
    (#"{"$set":{"l.$":1}}"#, "[]", "the place $ of arrays is not supported in updates"),
    (#"{"$rename":{"l.$[]":"m"}}"#, "[]", "$rename has no places of arrays, as 'l.$[]'"),
    (#"{"$set":{"n.$[]":1}}"#, "[]", "the value at 'n' is no array, as 'n.$[]' needs it"),
    (#"{"$set":{"x.$[]":1}}"#, "[]", "the value at 'x' is no array, as 'x.$[]' needs it"),
    (
      #"{"$set":{"l.$[]":1,"l.$[e]":2}}"#, #"[{"e":1}]"#,
      "updating the path 'l.0' would create a conflict at 'l.0'"
    ),
    (
      #"{"$set":{"l.$[]":1,"l.1":2}}"#, "[]",
      "updating the path 'l.1' would create a conflict at 'l.1'"
    ),
    (#"{"a":1}"#, "[]", "an update without operators has no arrayFilters"),
  ])
  func filtersThatDoNotFitAreRefused(
    _ update: String, _ filters: String, _ message: String
  ) throws {
    let error = #expect(throws: DocumentError.self) {
      try Self.filtered(#"{"l":[1,2],"n":1}"#, update, filters)
    }
    expectEqual(error.map { "\($0)" }, message)
  }

  @Test func aNewDocumentGetsWhatIsSetOnInsert() throws {
    try expectEqual(
      Self.updated("{}", #"{"$set":{"a":1},"$setOnInsert":{"b":2}}"#, isNew: true),
      #"{"a":1,"b":2}"#)
  }

  /// `DocumentUpdate` 1, `DocumentPath` 1
  @Test(arguments: [
    (#"{"$bit":{"a":{"and":1}}}"#, "unknown modifier: $bit"),
    (#"{"$pushAll":{"a":[1]}}"#, "unknown modifier: $pushAll"),
    (#"{"$set":{"a.$.b":1}}"#, "the place $ of arrays is not supported in updates"),
    (#"{"$set":{"":1}}"#, "'' is no path of a document"),
    (#"{"$set":{"a..b":1}}"#, "'a..b' is no path of a document"),
    (#"{"$set":{".a":1}}"#, "'.a' is no path of a document"),
    (#"{"$unset":{"a.":1}}"#, "'a.' is no path of a document"),
    (#"{"$push":{"a":{"$each":[1],"$x":1}}}"#, "$push has the unknown modifier $x"),
    (#"{"$push":{"a":{"$slice":1}}}"#, "$push with modifiers needs an array as $each"),
    (
      #"{"$addToSet":{"a":{"$in":[1]}}}"#,
      "$addToSet has the modifier $in, and $each alone is supported"
    ),
    (#"[{"$set":{"a":1}}]"#, "updates by a pipeline are not supported"),
    (
      #"{"a":1}"#,
      "an update has operators or fields, as 'a', and not both"
    ),
    (#"{}"#, "the update has no operators"),
    (#"{"$set":1}"#, "$set needs a document with fields"),
    (#"{"$inc":{"a":"1"}}"#, "$inc needs a number"),
    (#"{"$pop":{"a":2}}"#, "$pop needs 1 or -1"),
    (#"{"$currentDate":{"a":1}}"#, "$currentDate needs true, or a $type of date or timestamp"),
    (
      #"{"$set":{"a":1},"$inc":{"a.b":1}}"#,
      "updating the path 'a.b' would create a conflict at 'a'"
    ),
    (
      #"{"$rename":{"a":"b"},"$set":{"b":1}}"#,
      "updating the path 'b' would create a conflict at 'b'"
    ),
  ])
  func whatIsNoUpdateIsRefusedByName(_ update: String, _ message: String) throws {
    let error = #expect(throws: DocumentError.self) { try Self.updated("{}", update) }
    expectEqual(error.map { "\($0)" }, message)
  }

  @Test(arguments: [
    (#"{"_id":1}"#, #"{"$set":{"_id":2}}"#),
    (#"{"a":"x"}"#, #"{"$inc":{"a":1}}"#),
    (#"{"a":9223372036854775807}"#, #"{"$inc":{"a":1}}"#),
    (#"{"a":1}"#, #"{"$push":{"a":1}}"#),
    (#"{"a":1}"#, #"{"$set":{"a.b":1}}"#),
    (#"{"a":[1]}"#, #"{"$set":{"a.b":1}}"#),
    (#"{"a":[1]}"#, #"{"$set":{"a.99999999":1}}"#),
  ])
  func whatDoesNotFitTheDocumentIsAnError(_ document: String, _ update: String) {
    #expect(throws: DocumentError.self) { try Self.updated(document, update) }
  }
}
#endif
