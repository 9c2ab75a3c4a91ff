// SPDX-License-Identifier: Apache-2.0

// The severities of log messages.

/// The severity of a message, and the threshold from which messages are logged.
public enum LogLevel: UInt, Sendable, Comparable, CaseIterable {
  /// Nothing is logged.
  case off = 0
  /// Errors that trap.
  case fatal = 1
  /// Errors.
  case error = 2
  /// Likely mistakes of the program.
  case warn = 3
  /// Rare events: migrations, compactions.
  case info = 4
  /// Opening and closing of realms.
  case detail = 5
  /// Details for finding mistakes in this library.
  case debug = 6
  /// Each read version and each transaction.
  case trace = 7
  /// Everything.
  case all = 8

  /// Whether `left` is more severe, or logs less as a threshold.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
