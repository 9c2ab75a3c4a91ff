// SPDX-License-Identifier: Apache-2.0

// Why the program ends early.

/// What the program says before it ends, and its exit code.
struct Failure: Error {
  /// The arguments are wrong, or the build lacks what they need.
  static let usage: Int32 = 64
  /// The server is needed, and cannot be reached.
  static let unavailable: Int32 = 69

  let code: Int32
  let text: String
}
