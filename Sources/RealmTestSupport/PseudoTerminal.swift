// SPDX-License-Identifier: Apache-2.0

// A terminal without a screen, for programs that behave differently on one.

import Foundation

/// A pseudo-terminal: the program's side, and the side of its screen.
package final class PseudoTerminal {
  private let screen: Int32
  /// The descriptor for the program; -1 after `closeProgramSide()`.
  package private(set) var program: Int32

  /// Opens a terminal with that many lines and columns.
  package init?(rows: UInt16 = 24, columns: UInt16 = 80) {
    #if os(Linux)
    let main = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, lock) = (UInt32(0), Int32(0))
    // TIOCSPTLCK and TIOCGPTN, which are no constants that Swift can read.
    guard main >= 0, ioctl(main, 0x4004_5431, &lock) == 0, ioctl(main, 0x8004_5430, &number) == 0
    else {
      close(main)
      return nil
    }
    let name = "/dev/pts/\(number)"
    #else
    let main = posix_openpt(O_RDWR | O_NOCTTY)
    guard main >= 0, grantpt(main) == 0, unlockpt(main) == 0, let path = ptsname(main) else {
      close(main)
      return nil
    }
    let name = String(cString: path)
    #endif
    screen = main
    program = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard program >= 0, ioctl(program, UInt(TIOCSWINSZ), &size) == 0 else { return nil }
  }

  deinit {
    close(screen)
    closeProgramSide()
  }

  /// Closes this process's descriptor for the program, so that the screen ends with the program.
  package func closeProgramSide() {
    if program >= 0 { close(program) }
    program = -1
  }

  /// Types a text.
  package func type(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = write(screen, Array(rest), rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// The text on the screen up to its end, or until `isEnough`.
  package func text(until isEnough: (String) -> Bool = { _ in false }) -> String {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 4096)
    while !isEnough(String(decoding: bytes, as: UTF8.self)) {
      let count = read(screen, &block, block.count)
      if count < 0, errno == EINTR { continue }
      // Linux reports the end as an error.
      guard count > 0 else { break }
      bytes += block.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
