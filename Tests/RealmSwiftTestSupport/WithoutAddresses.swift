// SPDX-License-Identifier: Apache-2.0

/// The description of a value with `<0x>` for each address in memory.
package func withoutAddresses(_ value: Any) -> String {
  "\(value)".replacing(#/<0x[0-9a-f]+>/#, with: "<0x>")
}
