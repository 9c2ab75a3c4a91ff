// SPDX-License-Identifier: Apache-2.0

// Roles in calls of collections: what is hidden has no influence, and what uploads would lose is
// refused.

#if Server
import RealmFormats
import TestExtensions
import Testing

@testable import RealmServerServices

struct DocumentRoleTests {
  /// Users read public things, and read and write their own; the secret is for editors alone.
  private static let roles = #"""
    {"classes":{"Thing":[
      {"name":"editor","apply_when":{"%%user.id":"root"},
       "read":true,"write":true,"insert":true,"delete":true},
      {"name":"user","apply_when":{},
       "document_filters":{"read":{"b":true},"write":{"s":"%%user.id"}},
       "read":true,"write":true,"insert":true,"delete":false,
       "fields":{"secret":{"read":false,"write":false},"n":{"write":false}}}
    ]}}
    """#

  private static func bench() async throws -> DocumentBench {
    let bench = try DocumentBench(roles: roles)
    try await bench.call(
      "insertMany",
      #""documents":[{"_id":1,"b":true,"secret":"x","n":1},{"_id":2,"s":"ann","secret":"y","n":2},"#
        + #"{"_id":3,"s":"bob","n":3}]"#, as: "root")
    return bench
  }

  /// `DocumentCollection` 1
  @Test func hiddenDocumentsAndFieldsHaveNoInfluence() async throws {
    let bench = try await Self.bench()
    let ids = #","project":{"_id":1}"#
    func found(_ query: String) async throws -> String {
      try await bench.text("find", "\"query\":\(query)" + ids, as: "ann")
    }
    try await expectEqual(found("{}"), #"[{"_id":1},{"_id":2}]"#)
    try await expectEqual(found(#"{"_id":3}"#), "[]")
    try await expectEqual(found(#"{"secret":"x"}"#), "[]")
    try await expectEqual(found(#"{"secret":{"$ne":"x"}}"#), #"[{"_id":1},{"_id":2}]"#)
    try await expectEqual(found(#"{"secret":{"$in":["x",null]}}"#), #"[{"_id":1},{"_id":2}]"#)
    try await expectEqual(found(#"{"$expr":{"$eq":["$secret","x"]}}"#), "[]")
    try await expectEqual(
      bench.text("findOne", #""query":{"_id":1}"#, as: "ann").contains("secret"), false)
    try await expectEqual(bench.text("count", #""query":{}"#, as: "ann"), "2")
    try await expectEqual(
      bench.text(
        "aggregate", #""pipeline":[{"$group":{"_id":"$secret","c":{"$sum":1}}}]"#, as: "ann"),
      #"[{"_id":null,"c":2}]"#)
    try await expectEqual(
      bench.text(
        "find", #""query":{},"sort":{"secret":-1},"project":{"_id":1}"#, as: "ann"),
      #"[{"_id":1},{"_id":2}]"#)
    // A join asks with the same rights.
    try await expectEqual(
      bench.text(
        "aggregate",
        #""pipeline":[{"$limit":1},{"$lookup":{"from":"Thing","localField":"b","foreignField":"b","#
          + #""as":"o"}},{"$project":{"o._id":1}}]"#, as: "ann"),
      #"[{"_id":1,"o":[{"_id":1}]}]"#)
    try await expectEqual(bench.text("count", #""query":{"secret":"x"}"#, as: "root"), "1")
  }

  /// `ServerRealm+Edits` 1
  @Test(arguments: [
    ("insertOne", #""document":{"_id":9,"s":"bob"}"#, "insert not permitted"),
    ("insertOne", #""document":{"_id":9,"s":"ann","n":4}"#, "insert not permitted"),
    (
      "insertOne", #""document":{"_id":9,"s":"ann","secret":"z"}"#,
      "insert not permitted: the property 'secret' is hidden"
    ),
    ("updateOne", #""query":{"_id":1},"update":{"$set":{"d":1}}"#, "update not permitted"),
    ("updateOne", #""query":{"_id":2},"update":{"$set":{"s":"bob"}}"#, "update not permitted"),
    ("updateOne", #""query":{"_id":2},"update":{"$inc":{"n":1}}"#, "update not permitted"),
    (
      "updateOne", #""query":{"_id":2},"update":{"$unset":{"secret":1}}"#,
      "update not permitted: the property 'secret' is hidden"
    ),
    ("updateMany", #""query":{},"update":{"$set":{"d":1}}"#, "update not permitted"),
    ("findOneAndUpdate", #""filter":{"_id":1},"update":{"$set":{"d":1}}"#, "update not permitted"),
    ("deleteOne", #""query":{"_id":2}"#, "delete not permitted"),
    ("findOneAndDelete", #""filter":{"_id":2}"#, "delete not permitted"),
  ])
  func whatNoRoleAllowsIsRefusedAsAWhole(
    _ name: String, _ members: String, _ message: String
  ) async throws {
    let bench = try await Self.bench()
    let before = try await bench.text("find", #""query":{}"#, as: "root")
    await expectEqual(bench.refusal(name, members, as: "ann"), "NoMatchingRuleFound: " + message)
    try await expectEqual(bench.text("find", #""query":{}"#, as: "root"), before)
    try await expectEqual(bench.entries().count, 2)
  }

  @Test func whatRolesAllowIsDone() async throws {
    let bench = try await Self.bench()
    try await bench.call("insertOne", #""document":{"_id":9,"s":"ann","d":1}"#, as: "ann")
    try await expectEqual(
      bench.text(
        "updateMany", #""query":{"s":"ann"},"update":{"$set":{"d":2}}"#, as: "ann"),
      #"{"matchedCount":2,"modifiedCount":2}"#)
    // Others' documents are not there.
    try await expectEqual(
      bench.text("updateOne", #""query":{"_id":3},"update":{"$set":{"d":2}}"#, as: "ann"),
      #"{"matchedCount":0,"modifiedCount":0}"#)
    try await expectEqual(
      bench.text("deleteMany", #""query":{"_id":3}"#, as: "ann"), #"{"deletedCount":0}"#
    )
    // A replacement keeps what its author cannot see.
    try await bench.call(
      "findOneAndReplace", #""filter":{"_id":2},"update":{"s":"ann","n":2,"d":7}"#, as: "ann")
    try await expectEqual(
      bench.text(
        "findOne", #""query":{"_id":2},"project":{"secret":1,"d":1}"#, as: "root"),
      #"{"_id":2,"d":7.0,"secret":"y"}"#)
    // An id that is taken stays taken.
    #expect(
      await bench.refusal("insertOne", #""document":{"_id":3,"s":"ann"}"#, as: "ann")
        .hasPrefix("MongoDBError: E11000"))
  }

  @Test func theProgramOfTheServerHasAllRights() async throws {
    let bench = try await Self.bench()
    let all = try ExtendedJSONReader.parse(
      #"{"database":"db","collection":"Thing","query":{"_id":1}}"#)
    #expect(await bench.refusal("deleteOne", #""query":{"_id":1}"#, as: "ann") != "")
    let result = try await bench.service.call("deleteOne", [all], user: nil)
    expectTrue(result["deletedCount"] == .int64(1) || result["deletedCount"] == .int32(1))
    let thing = try ExtendedJSONReader.parse(#"{"database":"db","collection":"Thing"}"#)
    let watch = try await bench.service.watch([thing], user: nil)
    var events = watch.makeEvents()
    try await expectEqual(events.next(), [])
    bench.service.endWatches(.account("ann"))
    try await bench.call("insertOne", #""document":{"_id":77,"s":"bob","secret":"z"}"#, as: "root")
    var found: [BSONValue] = []
    while found.isEmpty, let group = try await events.next() { found = group }
    expectEqual(found.first?["fullDocument"]?["secret"], .string("z"))
  }
}
#endif
