// SPDX-License-Identifier: Apache-2.0

// Transfers a value that is not Sendable from one isolation domain to another.

/// A box for carrying a value from its thread to another domain.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  // Sendable: the code that makes a transfer keeps no other reference to the value.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
