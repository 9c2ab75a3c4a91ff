// SPDX-License-Identifier: Apache-2.0

// `app.json` is read strictly.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import TestExtensions
import Testing

struct AppFileTests {
  private static func error(_ text: String) -> String? {
    do throws(AppFileError) {
      _ = try AppFile(Array(text.utf8))
      return nil
    } catch {
      return error.description
    }
  }

  @Test func aFileIsReadAsItWasWritten() throws {
    var file = AppFile(id: "todos", name: "Todos", mode: .partition)
    file.accounts.confirmation = .mail
    file.accounts.allowsAnonymous = false
    file.accounts.accessMinutes = 5
    file.stage = .production
    try expectEqual(AppFile(JSONWriter.bytes(file.json)), file)
    expectEqual(
      JSONWriter.text(AppFile(id: "a", name: "A").json),
      #"{"id":"a","name":"A","sync":"flexible","#
        + #""providers":{"anon-user":{},"local-userpass":{"confirm":"auto"}},"#
        + #""tokens":{"accessMinutes":30,"refreshDays":60}}"#)
  }

  @Test func whatIsNotNamedIsOff() throws {
    let file = try AppFile(Array(#"{"id":"a"}"#.utf8))
    expectFalse(file.accounts.allowsAnonymous)
    expectEqual(file.accounts.confirmation, nil)
    expectEqual(file.mode, .flexible)
    expectEqual(file.stage, nil)
  }

  @Test(arguments: [
    (#"{"id":"a""#, "is not JSON"),
    (#"[]"#, "needs the file as an object"),
    (#"{"name":"a"}"#, "needs an \"id\""),
    (#"{"id":"../a"}"#, "needs an \"id\""),
    (
      #"{"id":"a","colour":1}"#,
      "has the unknown key \"colour\": there are allowed_origins, custom_user_data, documents, "
    ),
    (#"{"id":"a","colour":1}"#, " triggers and values (line 1, column 11)"),
    (#"{"id":"a","id":"a"}"#, "has the key \"id\" twice"),
    (#"{"id":"a","queryableFields":{}}"#, "which this version does not support"),
    (#"{"id":"a","mode":"fast"}"#, "not one of development, production"),
    (#"{"id":"a","sync":1}"#, "not one of flexible, partition"),
    (#"{"id":"a","providers":{"mine":{}}}"#, "unknown provider \"mine\""),
    (
      #"{"id":"a","providers":{"anon-user":{"x":1}}}"#,
      "unknown key \"x\" in \"anon-user\", which has none"
    ),
    (#"{"id":"a","providers":{"local-userpass":{"confirm":"never"}}}"#, "not one of auto, mail"),
    (#"{"id":"a","tokens":{"accessMinutes":0}}"#, "\"accessMinutes\" from 1"),
    (#"{"id":"a","tokens":{"days":1}}"#, "unknown key \"days\" in \"tokens\""),
  ])
  func mistakesAreNamed(_ text: String, _ expected: String) throws {
    let error = try #require(Self.error(text))
    expectTrue(error.contains(expected), "\(error)")
  }
}
#endif
