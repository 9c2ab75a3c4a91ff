// SPDX-License-Identifier: Apache-2.0

// Calls of collections over the objects of an app.

#if Server
import RealmFormats
import RealmReplication
import RealmStorage
import RealmSyncProtocol
import RealmTables
import Synchronization
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct DocumentServiceTests {
  private static let fileCount = Atomic(0)

  /// A document with a value of each type, as the class has it.
  private static let full = #"""
    {"_id":1,"n":5,"m":6,"s":"é","b":true,"d":{"$numberDouble":"0.5"},
     "f":{"$numberDouble":"0.25"},"t":{"$date":{"$numberLong":"-1500"}},
     "dec":{"$numberDecimal":"1.50"},"oid":{"$oid":"0123456789abcdef01234567"},
     "uid":{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"},
     "bin":{"$binary":{"base64":"AQI=","subType":"00"}},
     "any":{"deep":[1,{"$numberDouble":"2.5"},"x",null,[{"y":true}]]},
     "list":[3,1,3],"set":["a","b"],"map":{"k":1,"l":2},
     "place":{"street":"s","number":4,"tags":["t","u"]},
     "places":[{"street":"p","tags":[]},{"street":"q","number":1,"tags":["v"]}],
     "owner":"ann","owners":["ann","bob"],"secret":"x"}
    """#

  private static func normal(_ value: BSONValue) -> BSONValue { BSONOrder.normal(value) }

  @Test func aDocumentComesBackAsItWas() async throws {
    let bench = try DocumentBench()
    try await bench.call(
      "insertMany", #""documents":[{"_id":"ann","age":3},{"_id":"bob"}]"#, of: "Owner")
    try await expectEqual(
      bench.text("insertOne", "\"document\":\(Self.full)"), #"{"insertedId":1}"#)
    let found = try await bench.call("findOne", #""query":{}"#)
    let document = try ExtendedJSONReader.parse(Self.full)
    expectEqual(
      Self.normal(found), Self.normal(document), "\(DocumentBench.text(found))")
    try await expectEqual(
      bench.text("find", #""query":{"age":0}"#, of: "Owner"),
      #"[{"_id":"bob","age":0}]"#)
  }

  /// The writes are changesets that a device can carry out.
  @Test func devicesGetWhatCallsHaveWritten() async throws {
    let bench = try DocumentBench()
    try await bench.call("insertOne", "\"document\":\(Self.full)")
    try await bench.call(
      "updateOne",
      #"""
      "query":{"_id":1},"update":{"$inc":{"n":2},"$push":{"list":{"$each":[9],"$position":1},
      "places":{"street":"new","tags":["w"]},"any.deep":"z"},"$set":{"place.number":8,"map.k":5},
      "$unset":{"map.l":"","m":"","owner":""},
      "$addToSet":{"set":"c"},"$pull":{"owners":"ann"}}
      """#)
    try await bench.call(
      "updateOne", #""query":{"_id":1},"update":{"$set":{"places.0.street":"changed"}}"#)
    try await bench.call("insertOne", #""document":{"_id":2,"list":[1]}"#)
    try await bench.call("findOneAndReplace", #""filter":{"_id":2},"update":{"s":"only"}"#)
    try await bench.call("insertOne", #""document":{"_id":3}"#)
    try await bench.call("deleteOne", #""query":{"_id":3}"#)
    let expected = try await bench.call("find", #""query":{},"sort":{"_id":1}"#)
    #expect(DocumentBench.text(expected).contains(#""list":[3,9,1,3]"#))
    #expect(
      DocumentBench.text(expected).contains(#""any":{"deep":[1,2.5,"x",null,[{"y":true}],"z"]}"#))
    #expect(DocumentBench.text(expected).contains(#"{"_id":2,"n":0,"s":"only","b":false"#))
    try await expectEqual(Self.replayed(bench.entries()), expected)
  }

  /// The documents after all changesets, in a file of a device.
  private static func replayed(_ entries: [StoredEntry]) throws -> BSONValue {
    let number = fileCount.add(1, ordering: .relaxed).newValue
    let file = try DatabaseFile.open(
      path: "/document-replay-\(number).realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    var applier = InstructionApplier(group, file: FileIdentifier(7))
    for entry in entries { try applier.apply(ChangesetParser.parse(entry.changeset)) }
    let table = try #require(try group.table(named: "class_Thing")?.table)
    var documents: [BSONValue] = []
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        documents.append(try DocumentReader(group).document(cluster.row(at: index), table.schema))
      }
    }
    return .array(
      documents.sorted { BSONOrder.compare($0["_id"] ?? .null, $1["_id"] ?? .null) < 0 })
  }

  /// What is not different is not written: others may change it at the same time.
  @Test func anUpdateWritesDifferencesAlone() async throws {
    let bench = try DocumentBench()
    try await bench.call("insertOne", "\"document\":\(Self.full)")
    let count = try await bench.entries().count
    let same = #""query":{"_id":1},"update":{"$set":{"n":5,"list":[3,1,3],"place.street":"s"}}"#
    try await expectEqual(bench.text("updateMany", same), #"{"matchedCount":1,"modifiedCount":0}"#)
    try await expectEqual(bench.entries().count, count)
    try await bench.call("updateOne", #""query":{},"update":{"$inc":{"n":3},"$push":{"list":4}}"#)
    let entry = try #require(try await bench.entries().last)
    let changeset = try ChangesetParser.parse(entry.changeset)
    expectEqual(entry.file, .server)
    expectEqual(changeset.instructions.count, 2)
    #expect(
      changeset.instructions.contains {
        if case .addInteger(let step) = $0 { step.amount == 3 } else { false }
      })
    #expect(
      changeset.instructions.contains {
        if case .arrayInsert(let step) = $0 { step.priorSize == 3 } else { false }
      })
  }

  @Test func callsHaveTheirResults() async throws {
    let bench = try DocumentBench()
    try await expectEqual(bench.text("find", #""query":{}"#), "[]")
    try await expectEqual(bench.text("findOne", #""query":{}"#), "null")
    try await expectEqual(bench.text("count", #""query":{}"#), "0")
    try await expectEqual(bench.text("aggregate", #""pipeline":[]"#), "[]")
    try await expectEqual(
      bench.text(
        "insertMany", #""documents":[{"_id":3,"n":1},{"_id":1,"n":2},{"_id":2,"n":2}]"#),
      #"{"insertedIds":[3,1,2]}"#)
    let projected =
      #""query":{"n":{"$gt":0}},"project":{"n":1,"b":1},"sort":{"n":-1,"_id":-1},"limit":2"#
    try await expectEqual(
      bench.text("find", projected),
      #"[{"_id":2,"n":2,"b":false},{"_id":1,"n":2,"b":false}]"#)
    try await expectEqual(bench.call("count", #""query":{"n":2},"limit":1"#), .int64(1))
    try await expectEqual(
      bench.text(
        "aggregate", #""pipeline":[{"$match":{"n":2}},{"$group":{"_id":"$n","c":{"$sum":1}}}]"#),
      #"[{"_id":2,"c":2}]"#)
    let modify =
      #""filter":{"n":2},"sort":{"_id":1},"update":{"$set":{"n":7}},"projection":{"n":1}"#
    try await expectEqual(bench.text("findOneAndUpdate", modify), #"{"_id":1,"n":2}"#)
    try await expectEqual(
      bench.text("findOneAndUpdate", modify + #","returnNewDocument":true"#),
      #"{"_id":2,"n":7}"#)
    try await expectEqual(bench.text("findOneAndUpdate", modify), "null")
    try await expectEqual(
      bench.call(
        "updateOne", #""query":{"_id":9},"update":{"$set":{"s":"new"}},"upsert":true"#),
      .document([
        BSONElement("matchedCount", .int32(0)), BSONElement("modifiedCount", .int32(0)),
        BSONElement("upsertedId", .int64(9)),
      ]))
    try await expectEqual(
      bench.text(
        "findOneAndReplace",
        #""filter":{"_id":8},"update":{"n":4},"upsert":true,"returnNewDocument":true,"#
          + #""projection":{"n":1}"#
      ),
      #"{"_id":8,"n":4}"#)
    try await expectEqual(
      bench.text("findOneAndDelete", #""filter":{"_id":8},"projection":{"n":1}"#),
      #"{"_id":8,"n":4}"#)
    try await expectEqual(bench.call("deleteOne", #""query":{"n":7}"#)["deletedCount"], .int32(1))
    try await expectEqual(bench.call("deleteMany", #""query":{}"#)["deletedCount"], .int32(3))
    try await expectEqual(bench.text("count", #""query":{}"#), "0")
  }

  // MARK: Clients of the former service

  /// A document without operators replaces one, and is what many get.
  @Test func updatesNeedNoOperators() async throws {
    let bench = try DocumentBench()
    try await bench.call(
      "insertMany",
      #""documents":[{"_id":1,"s":"a","m":1},{"_id":2,"s":"a","m":2},{"_id":3,"s":"b","m":3}]"#)
    let all = #""query":{},"sort":{"_id":1},"project":{"s":1,"m":1,"n":1}"#
    try await expectEqual(
      bench.text("updateOne", #""query":{"_id":1},"update":{"s":"one"}"#),
      #"{"matchedCount":1,"modifiedCount":1}"#)
    try await expectEqual(
      bench.text("updateMany", #""query":{"m":{"$gt":1}},"update":{"s":"many"}"#),
      #"{"matchedCount":2,"modifiedCount":2}"#)
    try await expectEqual(
      bench.text("find", all),
      #"[{"_id":1,"n":0,"s":"one"},{"_id":2,"n":0,"m":2,"s":"many"},"#
        + #"{"_id":3,"n":0,"m":3,"s":"many"}]"#)
    try await expectEqual(
      bench.text(
        "findOneAndUpdate",
        #""filter":{"_id":2},"update":{"m":7},"returnNewDocument":true,"#
          + #""projection":{"m":1,"s":1}"#),
      #"{"_id":2,"m":7}"#)
    for (name, id) in [("updateOne", 8), ("updateMany", 9)] {
      try await expectEqual(
        bench.text(name, #""query":{"_id":\#(id),"n":4},"update":{"m":5},"upsert":true"#),
        #"{"matchedCount":0,"modifiedCount":0,"upsertedId":\#(id)}"#)
    }
    // A replacement has nothing of the query but the _id.
    try await expectEqual(
      bench.text("find", #""query":{"_id":{"$gt":7}},"sort":{"_id":1},"project":{"m":1,"n":1}"#),
      #"[{"_id":8,"n":0,"m":5},{"_id":9,"n":4,"m":5}]"#)
    try await expectEqual(
      bench.text(
        "updateOne",
        #""query":{"_id":1},"update":{"$set":{"list.$[e]":9}},"arrayFilters":[{"e":1}]"#),
      #"{"matchedCount":1,"modifiedCount":0}"#)
    // A version of the web client sends no document.
    try await expectEqual(
      bench.text("findOneAndReplace", #""filter":{"_id":9},"projection":{"m":1}"#),
      #"{"_id":9,"m":5}"#)
    try await expectEqual(
      bench.text("findOne", #""query":{"_id":9},"project":{"m":1,"n":1}"#), #"{"_id":9,"n":0}"#)
  }

  @Test(arguments: [
    (#"{"s":1}"#, #"{"_id":1,"s":"x"}"#), (#"{"s":2,"n":-1}"#, #"{"_id":1,"n":3,"s":"x"}"#),
    (#"{"s":"yes"}"#, #"{"_id":1,"s":"x"}"#), (#"{"s":true,"_id":0}"#, #"{"s":"x"}"#),
    (#"{"s":""}"#, #"{"_id":1,"s":"x"}"#), (#"{"m":"$n"}"#, #"{"_id":1,"m":3}"#),
  ])
  func projectionsHaveOtherValuesToo(_ projection: String, _ expected: String) async throws {
    let bench = try DocumentBench()
    try await bench.call("insertOne", #""document":{"_id":1,"s":"x","n":3}"#)
    for option in ["project", "projection"] {
      try await expectEqual(
        bench.text("findOne", #""query":{"":null},"\#(option)":\#(projection)"#), expected)
    }
  }

  /// A class that the realm lacks is empty if the app has it, and unknown otherwise.
  @Test(arguments: ["find", "findOne", "count", "aggregate"])
  func aCollectionWithoutAClassIsUnknown(_ name: String) async throws {
    let bench = try DocumentBench()
    let members = name == "aggregate" ? #""pipeline":[]"# : #""query":{}"#
    let empty = try await bench.text(name, members, of: "Owner")
    expectEqual(empty, ["count": "0", "findOne": "null"][name] ?? "[]")
    let error = await #expect(throws: DocumentError.self) {
      try await bench.call(name, members, of: "Nothing")
    }
    expectEqual(error, .unknownCollection("Nothing"))
  }

  @Test func aNewDocumentGetsAnID() async throws {
    let schema = """
      {"classes":[{"name":"A","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"objectId"}]},
      {"name":"B","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"uuid"}]}]}
      """
    let bench = try DocumentBench(schema: schema)
    for name in ["A", "B"] {
      let first = try await bench.call("insertOne", #""document":{}"#, of: name)["insertedId"]
      let second = try await bench.call("insertOne", #""document":{}"#, of: name)["insertedId"]
      expectTrue(first != nil)
      expectTrue(second != nil)
      expectTrue(first != second)
      try await expectEqual(bench.call("count", #""query":{}"#, of: name), .int64(2))
      if name == "B", case .binary(4, let bytes)? = first {
        expectEqual(bytes[6] >> 4, 4)
        expectEqual(bytes[8] >> 6, 2)
      }
    }
  }

  /// `DocumentWriter` 1
  @Test(arguments: [
    (
      "insertOne", #""document":{"_id":1}"#,
      "MongoDBError: E11000 duplicate key error: a document has the _id {\"$numberLong\":\"1\"}"
    ),
    (
      "insertMany", #""documents":[{"_id":5},{"_id":5}]"#,
      "MongoDBError: E11000 duplicate key error: a document has the _id {\"$numberLong\":\"5\"}"
    ),
    (
      "insertOne", #""document":{}"#,
      "SchemaValidationFailedWrite: the document needs an _id: only ObjectIds and UUIDs are made "
        + "for documents without one"
    ),
    (
      "insertOne", #""document":{"_id":"x"}"#,
      "SchemaValidationFailedWrite: 'Thing._id' needs a value of its type"
    ),
    (
      "insertOne", #""document":{"_id":2,"nope":1}"#,
      "SchemaValidationFailedWrite: the class Thing has no property 'nope'"
    ),
    (
      "insertOne", #""document":{"_id":2,"n":"1"}"#,
      "SchemaValidationFailedWrite: 'Thing.n' needs a value of the type int"
    ),
    (
      "insertOne", #""document":{"_id":2,"n":null}"#,
      "SchemaValidationFailedWrite: 'Thing.n' needs a value"
    ),
    (
      "insertOne", #""document":{"_id":2,"list":[null]}"#,
      "SchemaValidationFailedWrite: 'Thing.list' needs values"
    ),
    (
      "insertOne", #""document":{"_id":2,"place":{"nope":1}}"#,
      "SchemaValidationFailedWrite: the class Place has no property 'nope'"
    ),
    (
      "insertOne", #""document":{"_id":2,"owner":7}"#,
      "SchemaValidationFailedWrite: 'Thing.owner' needs the _id of an object of Owner"
    ),
    (
      "insertOne", #""document":{"_id":2,"map":{"a.b":1}}"#,
      "SchemaValidationFailedWrite: 'a.b' cannot be a key of 'Thing.map'"
    ),
    (
      "insertOne", #""document":{"_id":2,"any":{"$minKey":1}}"#,
      "SchemaValidationFailedWrite: 'Thing.any' needs another type of value"
    ),
    (
      "updateOne", #""query":{},"update":{"$set":{"nope":1}}"#,
      "SchemaValidationFailedWrite: the class Thing has no property 'nope'"
    ),
    (
      "updateOne", #""query":{},"update":{"$set":{"_id":2}}"#,
      "MongoDBError: performing an update on the path '_id' would modify the immutable field '_id'"
    ),
    ("insertOne", "", "MissingParameter: missing parameter: 'document'"),
    ("insertMany", #""documents":{}"#, "InvalidParameter: insertMany needs an array of documents"),
    ("find", #""query":{"$where":"1"}"#, "MongoDBError: unknown top level operator: $where"),
    (
      "find", #""query":{},"project":{"a":{"$slice":1}}"#,
      "MongoDBError: the projection of 'a' is not supported: a value that is true or false is"
    ),
    (
      "find", #""query":{},"limit":-1"#,
      "InvalidParameter: 'limit' needs a number that is not negative"
    ),
    (
      "aggregate", #""pipeline":[{"$out":"x"}]"#,
      "MongoDBError: unrecognized pipeline stage name: '$out'"
    ),
    ("distinct", "", "MongoDBError: command not found: 'distinct'"),
  ])
  func whatIsRefusedChangesNothing(
    _ name: String, _ members: String, _ message: String
  ) async throws {
    let bench = try DocumentBench()
    try await bench.call("insertOne", #""document":{"_id":1}"#)
    let count = try await bench.entries().count
    await expectEqual(bench.refusal(name, members), message)
    try await expectEqual(bench.entries().count, count)
  }

  @Test func onlyClassesWithAnIDAreCollections() async throws {
    let bench = try DocumentBench()
    await expectEqual(
      bench.refusal("insertOne", #""document":{"_id":1}"#, of: "Nope"),
      "NoMatchingRuleFound: no rule exists for the collection 'Nope': no class has the name")
    await expectEqual(
      bench.refusal("find", #""query":{}"#, of: "Nope"),
      "NoMatchingRuleFound: no rule exists for the collection 'Nope': no class has the name")
    try await bench.call("insertOne", #""document":{"_id":1,"place":{"street":"a"}}"#)
    await expectEqual(
      bench.refusal("find", #""query":{}"#, of: "Place"),
      "MongoDBError: the class Place has no documents of its own")
    await expectEqual(
      bench.refusal("insertOne", #""document":{"a":1}"#, of: "Keyless"),
      "MongoDBError: the class Keyless has no documents, as its primary key is not _id")
  }

  @Test func mixedValuesLinkByReferences() async throws {
    let bench = try DocumentBench()
    try await bench.call("insertOne", #""document":{"_id":"ann"}"#, of: "Owner")
    let document = #"{"_id":1,"any":[{"$ref":"Owner","$id":"ann"}]}"#
    try await bench.call("insertOne", #""document":\#(document)"#)
    let found = try await bench.text("findOne", #""query":{},"project":{"any":1}"#)
    expectEqual(found, document)
    #expect(
      await bench.refusal("insertOne", #""document":{"_id":2,"any":{"$ref":"Place","$id":1}}"#)
        .hasSuffix("'Place' in 'Thing.any' is no class that links lead to"))
  }

  // MARK: Partitions

  @Test func aCallIsAboutOnePartition() async throws {
    let permissions = #"{"read":{"%%partition":"home"},"write":{"%%partition":"%%user.id"}}"#
    let bench = try DocumentBench(roles: permissions, mode: .partition)
    let insert = #""document":{"_id":1,"_partition":"u","n":1}"#
    try await bench.call("insertOne", insert)
    try await expectEqual(
      bench.text("find", #""query":{"_partition":"u"},"project":{"n":1,"_partition":1}"#),
      #"[{"_id":1,"n":1,"_partition":"u"}]"#)
    try await expectEqual(bench.text("count", #""query":{"_partition":"home"}"#), "0")
    await expectEqual(
      bench.refusal("insertOne", #""document":{"_id":1,"_partition":"home"}"#),
      "NoMatchingRuleFound: write not permitted: the user may read the partition and not "
        + "change it"
    )
    #expect(
      await bench.refusal("find", #""query":{"_partition":"other"}"#)
        .hasPrefix("NoMatchingRuleFound: Permission denied"))
    for query in [#"{}"#, #"{"_partition":{"$gt":"a"}}"#, #"{"$or":[{"_partition":"u"},{"n":1}]}"#]
    {
      await expectEqual(
        bench.refusal("find", "\"query\":\(query)"),
        "InvalidParameter: the app has partitions, so a call is about one value of the field "
          + "'_partition': name it in the query or in the documents")
    }
    await expectEqual(
      bench.refusal(
        "updateOne", #""query":{"_partition":"u"},"update":{"$set":{"_partition":"v"}}"#),
      "MongoDBError: the document names another partition than the call")
    try await expectEqual(
      bench.text(
        "updateOne", #""query":{"_partition":"u"},"update":{"$set":{"n":4}}"#),
      #"{"matchedCount":1,"modifiedCount":1}"#)
    let realm = try await bench.realm(#""u""#)
    #expect(try await realm.newestSnapshot().head.version > 0)
    try await expectEqual(
      bench.text(
        "aggregate", #""pipeline":[{"$match":{"_partition":"u"}},{"$project":{"n":1}}]"#),
      #"[{"_id":1,"n":4}]"#)
  }

  // MARK: Limits

  @Test func aResultHasALimit() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(resultByteCount: 3_000))
    let text = String(repeating: "x", count: 1_000)
    for id in 1...3 {
      try await bench.call("insertOne", #""document":{"_id":\#(id),"s":"\#(text)"}"#)
    }
    await expectEqual(
      bench.refusal("find", #""query":{}"#),
      "ReadSizeLimitExceeded: the result is larger than results may be: narrow the query, or "
        + "add a limit")
    #expect(await bench.refusal("aggregate", #""pipeline":[]"#).hasPrefix("ReadSizeLimitExceeded"))
    #expect(await bench.refusal("find", #""query":{},"limit":1"#).hasPrefix("result ["))
    await expectEqual(bench.refusal("count", #""query":{}"#), "result 3")
  }

  @Test func aCallKeepsLittle() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(keptByteCount: 600_000))
    for part in 0..<4 {
      let documents = (0..<1_000).map { #"{"_id":\#(part * 1_000 + $0),"n":\#($0)}"# }
      try await bench.call("insertMany", "\"documents\":[\(documents.joined(separator: ","))]")
    }
    #expect(await bench.refusal("find", #""query":{}"#).hasPrefix("ReadSizeLimitExceeded"))
    // The first of an order are kept alone.
    try await expectEqual(
      bench.text(
        "find", #""query":{},"sort":{"n":-1,"_id":1},"limit":2,"project":{"n":1}"#),
      #"[{"_id":999,"n":999},{"_id":1999,"n":999}]"#)
  }

  @Test func aCallChangesFewDocuments() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(changedCount: 2))
    try await bench.call("insertMany", #""documents":[{"_id":1},{"_id":2}]"#)
    try await bench.call("insertOne", #""document":{"_id":3}"#)
    let message = "ReadSizeLimitExceeded: the call would change more than 2 documents"
    await expectEqual(
      bench.refusal("insertMany", #""documents":[{"_id":4},{"_id":5},{"_id":6}]"#), message)
    await expectEqual(bench.refusal("deleteMany", #""query":{}"#), message)
    await expectEqual(
      bench.refusal("updateMany", #""query":{},"update":{"$set":{"n":1}}"#), message)
    try await expectEqual(bench.text("count", #""query":{}"#), "3")
  }

  @Test func aCallHasALimitOfTime() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(time: 10))
    let documents = (0..<2_000).map { #"{"_id":\#($0)}"# }.joined(separator: ",")
    try await bench.call("insertMany", "\"documents\":[\(documents)]")
    bench.time.withLock { $0.step = 20 }
    await expectEqual(
      bench.refusal("count", #""query":{"n":{"$mod":[2,0]}}"#),
      "ExecutionTimeLimitExceeded: execution time limit exceeded")
    #expect(
      await bench.refusal("updateMany", #""query":{},"update":{"$inc":{"n":1}}"#).hasPrefix("Exec"))
    bench.time.withLock { $0.step = 0 }
    try await expectEqual(bench.text("count", #""query":{"n":1}"#), "0")
  }

  @Test func anAppHasALimitOfCalls() async throws {
    let bench = try DocumentBench(limits: DocumentLimits(callCount: 0))
    await expectEqual(
      bench.refusal("find", #""query":{}"#),
      "InternalServerError: the server is busy; try again later")
  }
}
#endif
