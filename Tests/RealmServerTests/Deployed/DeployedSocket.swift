// SPDX-License-Identifier: Apache-2.0

// The frames of a deployed app's socket, to the byte (P1 B.2).

#if Server
import TestExtensions
import Testing

/// Writes masked frames and reads plain ones.
final class DeployedSocket {
  /// The mask of all frames.
  static let mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

  private let connection: RawConnection

  init(_ connection: RawConnection) { self.connection = connection }

  /// A frame, which is the last of its message.
  static func frame(_ opcode: UInt8, _ data: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0x80 | opcode]
    switch data.count {
    case ..<126: bytes.append(0x80 | UInt8(data.count))
    case ..<65_536: bytes += [0x80 | 126, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
    default: bytes += [0x80 | 127] + (0..<8).reversed().map { UInt8(data.count >> ($0 * 8) & 0xFF) }
    }
    return bytes + mask + data.indices.map { data[$0] ^ mask[$0 % 4] }
  }

  /// Sends a message: its first line, and the bytes that follow.
  func send(_ text: String, _ bytes: [UInt8] = []) async throws {
    try await connection.send(Self.frame(2, Array(text.utf8) + bytes))
  }

  /// Sends bytes as they are.
  func send(frames: [UInt8]) async throws { try await connection.send(frames) }

  /// The next frame, which has to be whole, plain, and as short as its length allows.
  func frame() async throws -> (opcode: UInt8, data: [UInt8]) {
    let head = try await connection.bytes(2)
    expectEqual(head[0] & 0xF0, 0x80, "a fragment, or a bit that is reserved")
    expectEqual(head[1] & 0x80, 0, "a server's frame is not masked")
    var count = Int(head[1] & 0x7F)
    let width = [126: 2, 127: 8][count] ?? 0
    if width > 0 {
      count = try await connection.bytes(width).reduce(0) { $0 << 8 | Int($1) }
      expectTrue(count >= (width == 2 ? 126 : 65_536), "the length has a shorter form")
    }
    return (head[0] & 0x0F, try await connection.bytes(count))
  }

  /// The next message, which has to be binary.
  func receive() async throws -> [UInt8] {
    let (opcode, data) = try await frame()
    expectEqual(opcode, 2, "\(String(decoding: data, as: UTF8.self))")
    return data
  }

  /// The next message as text.
  func text() async throws -> String { String(decoding: try await receive(), as: UTF8.self) }

  /// What the stars of a pattern stand for in the next message.
  func text(like pattern: String) async throws -> [String] {
    let text = try await text()
    return try #require(Pattern.parts(of: text, pattern), "\(text)")
  }

  /// The code of the close frame that comes next.
  func closeCode() async throws -> Int {
    let (opcode, data) = try await frame()
    expectEqual(opcode, 8, "\(String(decoding: data, as: UTF8.self))")
    return data.prefix(2).reduce(0) { $0 << 8 | Int($1) }
  }

  func close() async { await connection.close() }
}
#endif
