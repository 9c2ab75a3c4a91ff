// SPDX-License-Identifier: Apache-2.0

// Where a writer runs, as far as other writers are concerned.

/// Something that runs one thing at a time: a thread, a serial queue, an executor. While a writer
/// blocks it, no other code of it runs.
package struct WriterPlace: Hashable, Sendable {
  /// The address of what runs the code.
  private let identity: UInt

  package init(identity: UInt) { self.identity = identity }
}
