// SPDX-License-Identifier: Apache-2.0

// Transfers a value that is not Sendable from one isolation domain to another.

/// A box that carries a value from the thread that made it to the domain that uses it.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  // Sendable: the code that makes a transfer keeps no other reference to the value.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
