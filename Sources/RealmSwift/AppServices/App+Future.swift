// SPDX-License-Identifier: Apache-2.0

// The calls of an app as publishers.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
import RealmSession

extension App {
  /// See `login(credentials:)`. The login begins at once; its user or error is published on a
  /// thread of the library.
  public func login(credentials: Credentials) -> Future<User, any Error> {
    future { try await self.login(credentials: credentials) }
  }

  /// See `updateBaseUrl(to:)`. The call begins at once; its end is published on a thread of the
  /// library.
  public func updateBaseUrl(to url: String?) -> Future<Void, any Error> {
    future { try await self.updateBaseUrl(to: url) }
  }
}

/// The result of a call, which begins at once, as a publisher.
func future<R: Sendable>(
  _ body: @escaping @Sendable () async throws -> R
) -> Future<R, any Error> {
  Future { promise in
    // The task alone uses the promise, once.
    let promise = UnsafeTransfer(promise)
    complete({ promise.value($0) }, body)
  }
}
#endif
#endif
