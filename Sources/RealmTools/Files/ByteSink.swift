// SPDX-License-Identifier: Apache-2.0

// Where commands write their output.
//
// 1. A file appears under its name when it is complete; until then, and if the work fails, there is
//    none, or the earlier one.

#if Tools
import Foundation

/// Buffered output to a descriptor, or to a file under its name only when it is finished.
package final class ByteSink {
  private var buffer: [UInt8] = []
  private let descriptor: Int32
  private let path: String?
  private var isOpen: Bool
  /// Whether the output is made safe for a terminal.
  private let isFiltered: Bool
  private let isTerminal: Bool
  private static let limit = 1 << 16
  /// Whether the program that read the output has ended.
  package private(set) var isReaderGone = false

  private init(_ descriptor: Int32, _ path: String?, isForPeople: Bool) {
    self.descriptor = descriptor
    self.path = path
    isOpen = path != nil
    isTerminal = path == nil && isatty(descriptor) == 1
    isFiltered = isForPeople || isTerminal
  }

  /// Output to a descriptor. The descriptor stays open.
  ///
  /// - Parameter isForPeople: Whether the output is made safe for a terminal although the
  ///   descriptor is none: text for people often gets there through another program.
  package convenience init(descriptor: Int32, isForPeople: Bool = false) {
    self.init(descriptor, nil, isForPeople: isForPeople)
  }

  /// Output to a new file.
  ///
  /// - Parameter overwrites: Whether it replaces an existing file.
  package convenience init(path: String, overwrites: Bool) throws(ToolFailure) {
    if !overwrites, FileManager.default.fileExists(atPath: path) {
      throw ToolFailure(
        .cannotCreate, "There is a file '\(path)' already. Use --force to replace it.")
    }
    UnfinishedFiles.add(Self.temporary(path))
    // What an interrupted run left goes, or a link to a file of others: it is not followed.
    unsafe unlink(Self.temporary(path))
    let descriptor = unsafe open(Self.temporary(path), O_WRONLY | O_CREAT | O_EXCL, 0o666)
    guard descriptor >= 0 else {
      UnfinishedFiles.remove(Self.temporary(path))
      throw ToolFailure(
        errno == ENOSPC || errno == EDQUOT ? .inputOutput : .cannotCreate,
        "'\(path)' cannot be written: \(Self.reason). Use another path.")
    }
    self.init(descriptor, path, isForPeople: false)
  }

  deinit {
    guard isOpen, let path else { return }
    close(descriptor)
    unsafe unlink(Self.temporary(path))
    UnfinishedFiles.remove(Self.temporary(path))
  }

  private static func temporary(_ path: String) -> String { path + ".unfinished" }
  private static var reason: String { unsafe String(cString: strerror(errno)) }

  /// Appends a text.
  package func write(_ text: String) throws(ToolFailure) {
    buffer += (isFiltered ? TerminalText.safe(text, hasStyles: isTerminal) : text).utf8
    if buffer.count >= Self.limit { try flush() }
  }

  /// Appends a text and the end of the line.
  package func writeLine(_ text: String) throws(ToolFailure) { try write(text + "\n") }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(ToolFailure) {
    if isFiltered { return try write(String(decoding: bytes, as: UTF8.self)) }
    buffer += bytes
    if buffer.count >= Self.limit { try flush() }
  }

  /// Lets `body` append bytes.
  package func write(_ body: (inout [UInt8]) throws -> Void) throws {
    if isFiltered {
      var bytes: [UInt8] = []
      try body(&bytes)
      return try write(bytes)
    }
    try body(&buffer)
    if buffer.count >= Self.limit { try flush() }
  }

  /// Hands everything over to the system.
  package func flush() throws(ToolFailure) {
    var start = 0
    while start < buffer.count {
      let count = unsafe buffer.withUnsafeBytes { bytes in
        unsafe Foundation.write(
          descriptor, bytes.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      if count < 0 {
        if errno == EINTR { continue }
        isReaderGone = errno == EPIPE
        buffer = []
        throw ToolFailure(.inputOutput, "Writing \(path ?? "the output") failed: \(Self.reason).")
      }
      start += count
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Ends the output; a file gets its name.
  package func finish() throws(ToolFailure) {
    try flush()
    guard isOpen, let path else { return }
    guard fsync(descriptor) == 0, close(descriptor) == 0,
      unsafe rename(Self.temporary(path), path) == 0
    else {
      throw ToolFailure(.inputOutput, "Writing '\(path)' failed: \(Self.reason).")
    }
    isOpen = false
    UnfinishedFiles.remove(Self.temporary(path))
  }
}
#endif
