// SPDX-License-Identifier: Apache-2.0

// The readers of bytes that strangers may have made, each as one function from bytes to an outcome.

#if Tools && Server
package import RealmTestSupport

/// A reader that a fuzzer, or a test with kept inputs, calls with any bytes.
///
/// Whatever the bytes, it ends by an outcome: it never traps, takes less than a second, and keeps
/// its memory within `Scripts/fuzz`'s limits.
package struct FuzzTarget: Sendable {
  /// What a reader did with an input.
  package enum Outcome: Hashable, Sendable {
    case read
    /// An error of the documented types was thrown.
    case refused
  }

  package let name: String
  /// The longest input that is tried.
  package let byteCountMax: Int
  /// - Throws: `Finding`, and errors that the reader should not throw: both are faults.
  package let run: @Sendable (_ input: [UInt8], _ folder: TemporaryDirectory) throws -> Outcome
  /// Inputs to begin with.
  package let seeds: @Sendable (_ folder: TemporaryDirectory) throws -> [[UInt8]]

  /// All readers. `planted` is none: it has a fault, which a fuzzer must find.
  package static let all: [FuzzTarget] = [
    file, encrypted, salvage, edit, query, changeset, merge, message, connection, changeLog, json,
    bson, deflate, texts, rows, app, dump, request,
  ]

  /// The reader of a name.
  package static func named(_ name: String) -> FuzzTarget? {
    (all + [planted]).first { $0.name == name }
  }
}

/// An input with a wrong result, other than a trap.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
#endif
