// SPDX-License-Identifier: Apache-2.0

// The server's part of `CommandRequests`.

#if Server
import RealmFormats
import ServiceLifecycle

/// Carries out the requests of commands.
struct RequestService: Service {
  private static let interval = Duration.milliseconds(500)

  let requests: CommandRequests
  let files: AppFiles
  let certificates: ServerCertificates?
  let status: ServerStatus
  let reloadBackups: @Sendable () -> [AppFileOutcome]

  func run() async throws {
    requests.begin()
    defer { requests.end() }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        for request in requests.take() {
          let outcomes = await outcomes(of: request)
          let text = outcomes.map(\.text).joined(separator: "\n")
          requests.answer(
            request.name,
            CommandRequests.Answer(isDone: outcomes.allSatisfy(\.isApplied), text: text))
        }
        try? await Task.sleep(for: Self.interval)
      }
    }
  }

  private func outcomes(of request: CommandRequests.Request) async -> [AppFileOutcome] {
    switch request.kind {
    case .apply:
      let failure = certificates?.reload()
      let outcomes = await files.apply() + reloadBackups()
      guard let failure else { return outcomes }
      let text = "\(failure.description) The old certificate stays in use"
      return outcomes + [AppFileOutcome(isApplied: false, text: text)]
    case .recheck: return await files.recheck()
    case .endAccess: return await files.endAccess()
    case .triggers: return await files.carryOutTriggerRequests()
    case .createUser: return await files.createUser(request.content)
    case .deleteUser: return await files.deleteUser(request.content)
    case .setPassword: return await files.setPassword(request.content)
    case .rotateKey: return await files.rotateKey(endsLogins: !request.content.isEmpty)
    case .status:
      let text = JSONWriter.text(await status.whole())
      return [AppFileOutcome(isApplied: true, text: text)]
    }
  }
}
#endif
