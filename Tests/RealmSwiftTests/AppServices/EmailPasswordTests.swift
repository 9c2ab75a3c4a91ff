// SPDX-License-Identifier: Apache-2.0

// The calls for accounts with e-mail addresses, as they leave the device.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmSwift

@Suite struct EmailPasswordTests {
  /// Answers everything with the location of the server, and keeps the addresses and bodies.
  private final class Recorder: RLMNetworkTransport {
    let sent = Locked<[String]>([])

    func sendRequest(
      toServer request: RLMRequest, completion: @escaping @Sendable (RLMResponse) -> Void
    ) {
      sent.withLock { $0.append(request.url + " " + request.body) }
      let response = RLMResponse()
      response.httpStatusCode = 200
      response.headers = ["Content-Type": "application/json"]
      response.body =
        #"{"deployment_model":"LOCAL","location":"x","hostname":"http://custom","#
        + #""ws_hostname":"ws://custom"}"#
      completion(response)
    }
  }

  private let directory: TemporaryDirectory
  private let recorder = Recorder()
  private let auth: EmailPasswordAuth

  init() throws {
    directory = try TemporaryDirectory()
    let configuration = AppConfiguration(baseURL: "http://custom", transport: recorder)
    configuration.directory = directory.path
    auth = App(id: "app-\(UUID().uuidString)", configuration: configuration).emailPasswordAuth
  }

  /// Expects that the last request has all texts.
  private func expectLast(
    _ texts: String..., location: SourceLocation = #_sourceLocation
  ) {
    let last = recorder.sent.withLock { $0.last ?? "" }
    for text in texts {
      #expect(last.contains(text), "\(text) in \(last)", sourceLocation: location)
    }
  }

  @Test func callsSendTheirArguments() async throws {
    try await auth.registerUser(email: "a@b.c", password: "secret")
    expectLast("/local-userpass/register", "a@b.c", "secret")
    try await auth.confirmUser("tok", tokenId: "tid")
    expectLast("/local-userpass/confirm", "tok", "tid")
    try await auth.resendConfirmationEmail("a@b.c")
    expectLast("/local-userpass/confirm/send", "a@b.c")
    try await auth.retryCustomConfirmation("a@b.c")
    expectLast("/local-userpass/confirm/call", "a@b.c")
    try await auth.sendResetPasswordEmail("a@b.c")
    expectLast("/local-userpass/reset/send", "a@b.c")
    try await auth.resetPassword(to: "new", token: "tok", tokenId: "tid")
    expectLast("/local-userpass/reset", "new", "tok", "tid")
    try await auth.callResetPasswordFunction(email: "a@b.c", password: "new", args: ["x"])
    expectLast("/local-userpass/reset/call", "a@b.c", "new", "x")
  }

  @Test func completionBlocksAreCalledOnce() async {
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      auth.registerUser(email: "a@b.c", password: "secret") { error in
        #expect(error == nil)
        done.resume()
      }
    }
    expectLast("/local-userpass/register", "a@b.c")
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      auth.sendResetPasswordEmail("a@b.c") { error in
        #expect(error == nil)
        done.resume()
      }
    }
    expectLast("/local-userpass/reset/send")
  }
}
