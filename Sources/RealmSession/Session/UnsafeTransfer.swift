// SPDX-License-Identifier: Apache-2.0

// How a value that is not Sendable gets from one place to another.

/// Carries a value from the thread that made it to the place it is for.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  // Sendable: whoever makes a transfer has no other reference to the value and keeps none.
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
