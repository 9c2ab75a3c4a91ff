// SPDX-License-Identifier: Apache-2.0

// The calls of a user as publishers. Each begins at once, and its result is published on a thread
// of the library.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif
import RealmSession

extension User {
  /// See `linkUser(credentials:)`.
  public func linkUser(credentials: Credentials) -> Future<User, any Error> {
    future { try await self.linkUser(credentials: credentials) }
  }

  /// See `logOut()`.
  public func logOut() -> Future<Void, any Error> {
    future { try await self.logOut() }
  }

  /// See `remove()`.
  public func remove() -> Future<Void, any Error> {
    future { _ = try await self.remove() as User }
  }

  /// See `delete()`.
  public func delete() -> Future<Void, any Error> {
    future { try await self.delete() }
  }

  /// See `refreshCustomData(_:)`.
  public func refreshCustomData() -> Future<[AnyHashable: Any], any Error> {
    Future { promise in
      // The call alone uses the promise, once.
      let promise = UnsafeTransfer(promise)
      self.refreshCustomData { promise.value($0) }
    }
  }
}
#endif
#endif
