// SPDX-License-Identifier: Apache-2.0

// The file behind an import, opened once.
//
// 1. An import reads its input twice: for the types, then for the objects. Standard input and pipes
//    can be read once alone, so they are first written to a temporary file without a name. So are
//    files that are not UTF-8, as UTF-8.

#if Tools
import Foundation

/// An input for reads at any position, any number of times.
final class InputFile: Sendable {
  private let descriptor: Int32
  let path: String
  let byteCount: Int
  /// Whether the path names a file for several readings.
  let isRegular: Bool

  /// Opens the file at `path`; `-` is standard input.
  ///
  /// - Parameter encoding: That of the file; nil for UTF-8, or UTF-16 if its mark says so.
  init(path: String, encoding: InputEncoding? = nil) throws(ToolFailure) {
    self.path = path
    let opened = unsafe path == "-" ? dup(0) : open(path, O_RDONLY)
    guard opened >= 0 else {
      throw ToolFailure(.noInput, "There is no file '\(path)' to read. Check the path.")
    }
    var facts = stat()
    let hasFacts = unsafe fstat(opened, &facts) == 0
    let kind = facts.st_mode & S_IFMT
    guard hasFacts, kind != S_IFDIR else {
      close(opened)
      throw ToolFailure(.noInput, "There is no file '\(path)' to read. Check the path.")
    }
    // Standard input may stand anywhere in its file.
    isRegular = kind == S_IFREG && path != "-"
    if isRegular, (encoding ?? Self.marked(opened) ?? .utf8) == .utf8 {
      (descriptor, byteCount) = (opened, Int(facts.st_size))
      return
    }
    defer { close(opened) }
    (descriptor, byteCount) = try Self.spool(opened, path, encoding)
  }

  /// The encoding that the first bytes of a regular file tell.
  private static func marked(_ descriptor: Int32) -> InputEncoding? {
    var bytes: [UInt8] = [0, 0]
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe pread(descriptor, $0.baseAddress, $0.count, 0)
    }
    return count == 2 ? InputEncoding.marked(bytes) : nil
  }

  deinit { close(descriptor) }

  private static var reason: String { unsafe String(cString: strerror(errno)) }

  /// Writes everything from a descriptor to a temporary file.
  private static func spool(
    _ source: Int32, _ path: String, _ encoding: InputEncoding?
  ) throws(ToolFailure) -> (Int32, Int) {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/realm-input-XXXXXX".utf8CString)
    let target = unsafe mkstemp(&template)
    guard target >= 0 else {
      throw ToolFailure(.inputOutput, "No temporary file can be made in '\(folder)': \(reason).")
    }
    // Without a name the file goes away with the process, however it ends.
    _ = unsafe unlink(template)
    do throws(ToolFailure) {
      return (target, try copy(source, to: target, path, encoding))
    } catch {
      close(target)
      throw error
    }
  }

  private static func copy(
    _ source: Int32, to target: Int32, _ path: String, _ encoding: InputEncoding?
  ) throws(ToolFailure) -> Int {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var decoder: InputDecoder?
    var (total, place) = (0, 0)
    while true {
      let count = try fill(&block, from: source)
      let bytes = block[..<count]
      if decoder == nil {
        decoder = InputDecoder(encoding ?? InputEncoding.marked(bytes) ?? .utf8)
      }
      guard let text = decoder?.decode(bytes, isLast: count == 0) else {
        throw .badData(
          "'\(path)' is no UTF-16: half of a character is missing between its bytes \(place) and "
            + "\(place + count). Name the file's encoding with --encoding.")
      }
      try write(text, to: target)
      total += text.count
      place += count
      if count == 0 { return total }
    }
  }

  /// Reads until a block is full, or at the end; pipes give a few bytes at a time.
  private static func fill(
    _ block: inout [UInt8], from source: Int32
  ) throws(ToolFailure) -> Int {
    var filled = 0
    while filled < block.count {
      let count = unsafe block.withUnsafeMutableBytes {
        unsafe read(source, $0.baseAddress.map { unsafe $0 + filled }, $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ToolFailure(.inputOutput, "Reading failed: \(reason).") }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  private static func write(_ bytes: [UInt8], to target: Int32) throws(ToolFailure) {
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.withUnsafeBytes {
        unsafe Foundation.write(
          target, $0.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        throw ToolFailure(.inputOutput, "Keeping the input in a temporary file failed: \(reason).")
      }
      start += written
    }
  }

  /// At most `count` bytes from `offset` on; none at the end.
  func bytes(at offset: Int, count: Int) throws(ToolFailure) -> [UInt8] {
    while true {
      var bytes = [UInt8](repeating: 0, count: count)
      let result = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
      }
      if result >= 0 {
        bytes.removeLast(count - result)
        return bytes
      }
      guard errno == EINTR else {
        throw ToolFailure(.inputOutput, "Reading '\(path)' failed: \(Self.reason).")
      }
    }
  }
}
#endif
