// SPDX-License-Identifier: Apache-2.0

// The values of columns and of parameters.

#if Postgres
/// A value of a column or of a parameter.
package enum DatabaseValue: Hashable, Sendable {
  case null
  case int(Int64)
  case text(String)
  case bytes([UInt8])

  /// A number without a sign, as a column has it.
  package static func bits(_ number: UInt64) -> DatabaseValue { .int(Int64(bitPattern: number)) }
}
#endif
