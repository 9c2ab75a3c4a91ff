// SPDX-License-Identifier: Apache-2.0

// The members "functions", "triggers" and "push" of `app.json` are read strictly.

#if Server
import RealmFormats
import RealmSyncProtocol
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct CodeReaderTests {
  private static let long = String(repeating: "s", count: 32)
  private static let support = AppFileSupport(isFunction: { $0 == "closure" })

  @Test func allMembersAreReadAsTheyWereWritten() throws {
    let hook = Webhook(url: "https://x.org/f", secret: Secret(Self.long))
    var file = AppFile(id: "a", name: "a")
    file.functions = [
      FunctionSettings(
        "sum", webhook: hook,
        FunctionOptions(
          isPrivate: true,
          canEvaluate: .comparison(.expansion(.userType), .equal(.value(.string("server")))),
          timeout: 5_000)),
      FunctionSettings("closure", FunctionOptions(timeout: 300_000)),
    ]
    var database = DatabaseTrigger("Todo", database: "db")
    database.operations = [.insert, .delete]
    database.match = .document([BSONElement("fullDocument.n", .int32(3))])
    (database.fullDocument, database.documentBefore, database.isUnordered) = (false, true, true)
    var first = TriggerSettings("first", function: "sum", .database(database))
    (first.isDisabled, first.attemptCountMax, first.onFailure) = (true, 3, .skip)
    (first.skipsCatchUp, first.toleratesLostPosition) = (true, true)
    let second = TriggerSettings(
      "second", function: "closure",
      .authentication(AuthenticationTrigger(.login, providers: ["anon-user"])))
    let third = TriggerSettings(
      "third", function: "sum", .scheduled(try CronSchedule("0 3 * * mon")))
    file.triggers = [
      first, second, third,
      TriggerSettings("fourth", function: "sum", .database(DatabaseTrigger("Todo"))),
    ]
    file.push = [PushProvider("apns", hook)]
    expectEqual(file.accounts.recordedEvents, [.login])
    try expectEqual(AppFile(JSONWriter.bytes(file.json), Self.support), file)
    let text =
      #"{"id":"a","functions":[{"name":"closure"}],"triggers":[{"name":"t","#
      + #""type":"database","function":"closure","collection":"Todo","#
      + #""operation_types":"INSERT"}]}"#
    let short = try AppFile(Array(text.utf8), Self.support)
    let trigger = try #require(short.triggers.first)
    expectEqual(trigger.attemptCountMax, 10)
    expectEqual(trigger.onFailure, .suspend)
    expectEqual(short.functions.first?.options, FunctionOptions())
  }

  private static let trigger =
    #"{"id":"a","functions":[{"name":"closure"}],"triggers":[{"name":"t""#

  @Test(arguments: [
    (#"{"id":"a","functions":{}}"#, "needs \"functions\" as an array"),
    (#"{"id":"a","functions":[{"name":"other"}]}"#, "which this server does not have"),
    (#"{"id":"a","functions":[{}]}"#, "needs a \"name\" in \"functions\""),
    (#"{"id":"a","functions":[{"name":"a b"}]}"#, "that is no name"),
    (#"{"id":"a","functions":[{"name":"closure"},{"name":"closure"}]}"#, "twice"),
    (#"{"id":"a","functions":[{"name":"f","webhook":"https://x.org"}]}"#, "needs a \"secret\""),
    (
      #"{"id":"a","functions":[{"name":"f","webhook":"http://x.org","secret":"s"}]}"#,
      "does not begin with https://"
    ),
    (
      #"{"id":"a","functions":[{"name":"f","webhook":"https://x.org","secret":"s"}]}"#,
      "shorter than 32 bytes"
    ),
    (#"{"id":"a","functions":[{"name":"closure","secret":"s"}]}"#, "without a \"webhook\""),
    (#"{"id":"a","functions":[{"name":"closure","timeout":0}]}"#, "from 1 to 300"),
    (#"{"id":"a","functions":[{"name":"closure","timeout":301}]}"#, "from 1 to 300"),
    (#"{"id":"a","functions":[{"name":"closure","run_as_system":true}]}"#, "unknown key"),
    (
      #"{"id":"a","functions":[{"name":"closure","can_evaluate":{"a":1}}]}"#, "mistake in its rules"
    ),
    (
      #"{"id":"a","functions":[{"name":"closure","can_evaluate":{"%%partition":"p"}}]}"#,
      "about %%partition"
    ),
    (trigger + "}]}", "needs a \"type\" in \"triggers\""),
    (trigger + #","type":"http"}]}"#, "not one of database, authentication, scheduled"),
    (trigger + #","type":"database"}]}"#, "needs a \"function\""),
    (
      trigger + #","type":"database","function":"f","collection":"C"}]}"#,
      "names the function \"f\", which \"functions\" does not have"
    ),
    (trigger + #","type":"database","function":"closure"}]}"#, "needs a \"collection\""),
    (
      trigger + #","type":"scheduled","function":"closure","collection":"C"}]}"#,
      "unknown key \"collection\""
    ),
    (
      trigger + #","type":"scheduled","function":"closure","schedule":"@daily"}]}"#, "five fields"
    ),
    (
      trigger
        + #","type":"database","function":"closure","collection":"C","#
        + #""operation_types":["drop"]}]}"#,
      "not one of insert, update, replace, delete"
    ),
    (
      trigger
        + #","type":"database","function":"closure","collection":"C","match":{"$where":1}}]}"#,
      "that is no condition"
    ),
    (
      trigger
        + #","type":"authentication","function":"closure","operation_type":"link"}]}"#,
      "not one of create, login, delete"
    ),
    (
      trigger + #","type":"scheduled","function":"closure","schedule":"* * * * *","attempts":0}]}"#,
      "\"attempts\" from 1 to 1000"
    ),
    (
      trigger
        + #","type":"scheduled","function":"closure","schedule":"* * * * *","on_failure":"x"}]}"#,
      "not one of suspend, skip"
    ),
    (#"{"id":"a","push":[{"service":"apns"}]}"#, "needs a \"webhook\" in \"push\""),
  ])
  func mistakesAreNamedWithTheirPlace(_ text: String, _ expected: String) throws {
    do throws(AppFileError) {
      _ = try AppFile(Array(text.utf8), Self.support)
      Issue.record("it was read: \(text)")
    } catch {
      expectTrue(error.description.contains(expected), "\(error)")
      expectEqual(error.line, 1, "\(error)")
      expectTrue(error.column != nil, "\(error)")
    }
  }

  @Test func anAppHasALimitOfTriggers() throws {
    let triggers = (0...TriggerService.countMax).map {
      TriggerSettings(
        "t\($0)", function: "closure", .database(DatabaseTrigger("C")))
    }
    var file = AppFile(id: "a", name: "a")
    file.triggers = triggers
    #expect(throws: AppFileError.self) { try AppFile(JSONWriter.bytes(file.json), Self.support) }
    file.triggers = Array(triggers.dropLast())
    try expectEqual(AppFile(JSONWriter.bytes(file.json), Self.support), file)
  }
}
#endif
