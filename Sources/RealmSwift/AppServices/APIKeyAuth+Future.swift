// SPDX-License-Identifier: Apache-2.0

// The calls about API keys, and about devices for push messages, as publishers. Each begins at
// once, and its result is published on a thread of the library.

#if Sync
#if canImport(Combine) || OpenCombine
#if canImport(Combine)
public import Combine
#else
public import OpenCombine
#endif

extension APIKeyAuth {
  /// See `createAPIKey(named:)`.
  public func createAPIKey(named name: String) -> Future<UserAPIKey, any Error> {
    future { try await self.createAPIKey(named: name) }
  }

  /// See `fetchAPIKey(_:)`.
  public func fetchAPIKey(_ objectId: ObjectId) -> Future<UserAPIKey, any Error> {
    future { try await self.fetchAPIKey(objectId) }
  }

  /// See `fetchAPIKeys()`.
  public func fetchAPIKeys() -> Future<[UserAPIKey], any Error> {
    future { try await self.fetchAPIKeys() }
  }

  /// See `deleteAPIKey(_:)`.
  public func deleteAPIKey(_ objectId: ObjectId) -> Future<Void, any Error> {
    future { try await self.deleteAPIKey(objectId) }
  }

  /// See `enableAPIKey(_:)`.
  public func enableAPIKey(_ objectId: ObjectId) -> Future<Void, any Error> {
    future { try await self.enableAPIKey(objectId) }
  }

  /// See `disableAPIKey(_:)`.
  public func disableAPIKey(_ objectId: ObjectId) -> Future<Void, any Error> {
    future { try await self.disableAPIKey(objectId) }
  }
}

extension PushClient {
  /// See `registerDevice(token:user:)`.
  public func registerDevice(token: String, user: User) -> Future<Void, any Error> {
    future { try await self.registerDevice(token: token, user: user) }
  }

  /// See `deregisterDevice(user:)`.
  public func deregisterDevice(user: User) -> Future<Void, any Error> {
    future { try await self.deregisterDevice(user: user) }
  }
}
#endif
#endif
