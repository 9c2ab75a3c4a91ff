// SPDX-License-Identifier: Apache-2.0

// What a driver of the server needs of the world: time, a socket, realms, room. Servers have one
// with real sockets (`SocketServerEnvironment`), simulations one in which a seed decides what
// happens next.

package import RealmSyncProtocol

/// Carries out what a `ServerDriver` cannot do by itself.
///
/// None of the functions waits, or calls the driver before it returns. What they begin ends with a
/// call of the driver; what waits for a time or a socket does not keep it.
package protocol ServerEnvironment: AnyObject, Sendable {
  var now: Milliseconds { get }

  // MARK: The socket

  /// Sends a message after the earlier ones; the input `written` is the answer.
  func send(_ message: [UInt8], after stored: StoredProgress?, for driver: ServerDriver)
  /// Closes the socket after the last message.
  func close(_ code: CloseCode, reason: String, for driver: ServerDriver)
  /// Lets the input `timer` come at a time.
  func setTimer(at time: Milliseconds, for driver: ServerDriver)

  // MARK: Sessions

  /// The handler of a new session.
  func begin(_ session: UInt64, for driver: ServerDriver) -> any ServerRequestHandler
  /// Lets a handler carry out a request, and calls `ServerDriver.didPerform`.
  func perform(
    _ request: ServerStoreRequest, number: UInt64, of session: UInt64,
    by handler: any ServerRequestHandler, for driver: ServerDriver)
  /// Calls `ServerDriver.didPerform` with a refusal.
  func refuse(
    _ number: UInt64, of session: UInt64, _ refusal: SessionRefusal, for driver: ServerDriver)
  /// Lets a handler give everything back: its session and its last request are over.
  func close(_ handler: any ServerRequestHandler, of session: UInt64)

  // MARK: Memory

  /// Notes what the connection holds. Returns whether memory is tight.
  func hold(_ byteCount: Int) -> Bool
  /// Takes room for a query that is about to be kept. Returns false if there is none.
  func reserve(_ byteCount: Int) -> Bool
  /// Gives back reserved room.
  func release(_ byteCount: Int)
  /// Finds room for what an UPLOAD unpacks to; the input `hasRoom` is the answer.
  func takeRoom(_ byteCount: Int, for session: UInt64, of driver: ServerDriver)
  /// Gives the room of a session back, if it has some, or ends its wait for it.
  func giveRoomBack(of session: UInt64)

  /// Tells the operator.
  func notice(_ line: String)
  /// Ends everything: the socket is gone.
  func stop()
}
