// SPDX-License-Identifier: Apache-2.0

// What the program prints.

import Foundation

/// Standard output and standard error, line by line.
enum Terminal {
  static func line(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

  /// A line about what happens, beside the list.
  static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
