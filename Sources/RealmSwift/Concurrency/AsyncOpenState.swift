// SPDX-License-Identifier: Apache-2.0

// `AsyncOpenState`: the progress of an asynchronous open of a realm.

public import Foundation

/// The progress of an asynchronous open of a realm, for user interfaces that show it.
///
/// Realms of this device go from `connecting` to `open` or `error`; the other states are those of
/// synchronized ones.
public enum AsyncOpenState {
  /// The open has begun.
  case connecting
  /// A user must log in first.
  case waitingForUser
  /// The realm is open; it lives where the open was started.
  case open(Realm)
  /// The part of the file that was downloaded.
  case progress(Progress)
  /// The realm could not be opened.
  case error(any Error)
}
