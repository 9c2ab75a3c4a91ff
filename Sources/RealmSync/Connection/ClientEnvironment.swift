// SPDX-License-Identifier: Apache-2.0

// What a driver needs of the world: time, sockets, tokens, and threads. Programs have one with real
// sockets (`SocketEnvironment`), simulations one in which a seed decides what happens next.

package import RealmSyncProtocol

/// Carries out what a `ClientDriver` cannot do by itself.
///
/// None of the functions waits. What they begin ends with an input to `ClientDriver.deliver(_:)`,
/// which they never call before they return. What waits does not keep the driver.
package protocol ClientEnvironment: AnyObject, Sendable {
  /// The time. Called under a lock.
  var now: Milliseconds { get }

  /// Calls `ClientDriver.carryOut()` soon, on another thread than the caller's.
  func schedule(_ driver: ClientDriver)

  /// Opens a socket, at the newest location and with the newest token. The other functions are
  /// about the socket that was opened last.
  func open(_ socket: UInt64, for driver: ClientDriver)
  func send(_ message: [UInt8], after stored: StoredState?)
  func close(_ code: CloseCode)
  func pauseReading()
  func resumeReading()

  func set(_ timer: ClientTimer, at time: Milliseconds, for driver: ClientDriver)
  func cancel(_ timer: ClientTimer)

  func refreshToken(for driver: ClientDriver)
  func refreshLocation(for driver: ClientDriver)
  func logOut()

  /// Lets an agent carry out a request, and calls `end` with its answer.
  func perform(
    _ request: StoreRequest, by agent: SyncAgent, _ end: @escaping @Sendable (StoreReply) -> Void)

  /// Ends everything: the driver is gone.
  func stop()
}

/// The user of a connection: address, tokens, and their ends.
package protocol SyncAuthority: Sendable {
  /// The address of the newest location, with the newest access token.
  func endpoint(_ mode: SyncMode) async -> SyncEndpoint

  /// Gets a new access token. Returns whether there is one.
  func refreshToken() async -> Bool

  /// Asks for the location of the server again. Returns whether it answered.
  func refreshLocation() async -> Bool

  /// The server does not accept the user any more.
  func logOut() async
}
