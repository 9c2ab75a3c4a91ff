// SPDX-License-Identifier: Apache-2.0

// The exit codes of the tools, after sysexits.h where it has one.

#if Tools
/// How a command ends, as scripts see it.
package enum ExitStatus: Int32, Sendable {
  case fine = 0
  /// Damage was found, or a difference.
  case found = 1
  /// The command line is at fault.
  case usage = 64
  /// The contents of a file are at fault: damaged, of another format, or bad rows.
  case badData = 65
  /// A file is missing.
  case noInput = 66
  /// Something needed by the command is not on this machine.
  case unavailable = 69
  /// A file to be made exists, or cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Another process keeps the file busy; try again.
  case busy = 75
}
#endif
