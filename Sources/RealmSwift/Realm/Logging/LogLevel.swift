// SPDX-License-Identifier: Apache-2.0

// How important a message is.

/// How important a message is, and up to which importance messages are wanted.
public enum LogLevel: UInt, Sendable, Comparable, CaseIterable {
  /// Nothing is logged.
  case off = 0
  /// What ends the process.
  case fatal = 1
  /// What failed.
  case error = 2
  /// What is likely a mistake of the program.
  case warn = 3
  /// What happens seldom: migrations, compactions.
  case info = 4
  /// What happens when realms are opened and closed.
  case detail = 5
  /// What helps to find mistakes in this library.
  case debug = 6
  /// Each read version and each transaction.
  case trace = 7
  /// Everything.
  case all = 8

  /// Whether `left` is more important, or lets less pass.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
