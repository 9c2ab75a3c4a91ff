// SPDX-License-Identifier: Apache-2.0

// What the processes print.

#if Server
import Foundation

/// Standard output, line by line: a device that is killed has printed whole lines.
enum Terminal {
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
#endif
