// SPDX-License-Identifier: Apache-2.0

// The server's part of `CommandRequests`.

#if Server
import ServiceLifecycle

/// Carries out the requests of commands.
struct RequestService: Service {
  private static let interval = Duration.milliseconds(500)

  let requests: CommandRequests
  let files: AppFiles

  func run() async throws {
    requests.begin()
    defer { requests.end() }
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        for request in requests.take() {
          let outcomes =
            switch request.kind {
            case .apply: await files.apply()
            case .recheck: await files.recheck()
            case .endAccess: await files.endAccess()
            case .triggers: await files.carryOutTriggerRequests()
            }
          let text = outcomes.map(\.text).joined(separator: "\n")
          requests.answer(
            request.name,
            CommandRequests.Answer(isDone: outcomes.allSatisfy(\.isApplied), text: text))
        }
        try? await Task.sleep(for: Self.interval)
      }
    }
  }
}
#endif
