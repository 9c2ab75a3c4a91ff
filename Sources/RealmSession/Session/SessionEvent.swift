// SPDX-License-Identifier: Apache-2.0

// The events that a session reports to the log of the program.

/// An event of a session that is worth logging.
public enum SessionEvent: Sendable {
  /// It began to write on a version.
  case beganWriting(UInt64)
  /// It wrote a version.
  case wrote(UInt64)
  /// It reads another version.
  case reads(UInt64)
  /// It was invalidated in a write transaction, which is undone.
  case invalidatedInWrite
}
