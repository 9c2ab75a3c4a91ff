// SPDX-License-Identifier: Apache-2.0

// Who gets an answer, and who does not.

#if Tools
import RealmFormats
import RealmPages
import TestExtensions
import Testing

@testable import RealmStudio

struct AccessTests {
  /// Each address of Studio is behind the guard: `PageGuard` 1.
  @Test(arguments: ["/", "/app.js", "/api/files", "/api/events", "/api/files/0/schema"])
  func withoutTheTokenNothingIsSent(_ target: String) async throws {
    let studio = try await TestStudio()
    var request = studio.request("GET", target)
    await expectEqual(studio.service.respond(to: request).status, 200)
    request.headers["cookie"] = nil
    await expectEqual(studio.service.respond(to: request).status, 401)
  }

  /// Who opens an old address reads what to do, and no JSON.
  @Test func aPageWithoutItsTokenSaysWhatToDo() async throws {
    let studio = try await TestStudio()
    var request = studio.request("GET", "/")
    request.headers["cookie"] = nil
    let response = await studio.service.respond(to: request)
    guard case .bytes(let bytes) = response.body else {
      Issue.record("the answer is no page")
      return
    }
    let text = String(decoding: bytes, as: UTF8.self)
    expectTrue(text.contains("<h1>Realm Studio</h1>"))
    expectTrue(text.contains("'realm studio' prints"))
  }

  @Test func readOnlyStudioWritesNothing() async throws {
    let studio = try await TestStudio(isWritable: false)
    for name in ["begin", "edit", "commit", "cancel", "undo", "redo"] {
      let (status, json) = try await studio.send(
        studio.request("POST", "/api/files/0/\(name)", .object([])))
      expectEqual(status, 403)
      expectEqual(json["remedy"]?.string?.contains("--write"), true)
    }
  }
}
#endif
