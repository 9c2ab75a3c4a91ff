// SPDX-License-Identifier: Apache-2.0

// How far an asynchronous open of a realm is.

public import Foundation

/// How far opening a realm asynchronously is, for user interfaces that show it.
///
/// Realms of this device go from `connecting` to `open` or `error`; the other states are those of
/// synchronised ones.
public enum AsyncOpenState {
  /// The open has begun.
  case connecting
  /// A user must log in first.
  case waitingForUser
  /// The realm is open; it lives where the open was started.
  case open(Realm)
  /// How much of the file was downloaded.
  case progress(Progress)
  /// The realm could not be opened.
  case error(any Error)
}
