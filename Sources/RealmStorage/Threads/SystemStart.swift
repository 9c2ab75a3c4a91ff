// SPDX-License-Identifier: Apache-2.0

// Which start of the operating system this is: its memory of files is lost at each.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The present start of the operating system.
enum SystemStart {
  /// A number of its own for each start; zeros if the system does not say.
  static let identifier: (UInt64, UInt64) = {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == 32 else { return (0, 0) }
    let halves = [digits[..<16], digits[16...]].map { half in
      half.reduce(UInt64(0)) { $0 << 4 | UInt64($1) }
    }
    return (halves[0], halves[1])
  }()

  /// A UUID.
  private static var text: String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
    defer { unsafe buffer.deallocate() }
    var count = buffer.count
    #if canImport(Darwin)
    guard unsafe sysctlbyname("kern.bootsessionuuid", buffer.baseAddress, &count, nil, 0) == 0
    else { return "" }
    #else
    let descriptor = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    count = unsafe read(descriptor, buffer.baseAddress, count)
    #endif
    return unsafe String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
