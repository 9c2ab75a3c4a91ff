// SPDX-License-Identifier: Apache-2.0

// Requests to a driver of a browser. Foundation's client refuses the heads of its answers, which
// have no space after the colon of a field.

#if Tools || Server
import Foundation
import RealmFormats

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Sends requests of HTTP to a port of this machine, each over a connection of its own.
struct DriverConnection: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let port: Int

  /// The member `value` of the answer.
  func send(
    _ path: String, _ body: JSONValue?, method: String = "POST"
  ) async throws -> JSONValue {
    let bytes = body.map { JSONWriter.bytes($0) } ?? []
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n"
    let answer: Data = try await withCheckedThrowingContinuation { continuation in
      // Blocking is harmless there.
      DispatchQueue.global().async {
        continuation.resume(with: Result { try exchange(Data(head.utf8) + bytes) })
      }
    }
    guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else {
      throw Failure(description: "the driver sent no answer to \(path)")
    }
    let json = try JSONParser.parse([UInt8](answer[end.upperBound...]))
    guard answer.starts(with: Data("HTTP/1.1 200".utf8)) else {
      throw Failure(description: String(JSONWriter.text(json).prefix(800)))
    }
    return json["value"] ?? .null
  }

  private func exchange(_ request: Data) throws -> Data {
    #if canImport(Darwin)
    let kind = SOCK_STREAM
    #else
    let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let handle = FileHandle(
      fileDescriptor: socket(AF_INET, kind, 0), closeOnDealloc: true)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle.fileDescriptor, $0, size)
      }
    }
    guard code == 0 else { throw Failure(description: "port \(port) does not answer: \(errno)") }
    try handle.write(contentsOf: request)
    var answer = Data()
    var part = [UInt8](repeating: 0, count: 1 << 16)
    // The handle's own reading waits until as many bytes are there as it asks for.
    while !Self.isWhole(answer) {
      let count = recv(handle.fileDescriptor, &part, part.count, 0)
      guard count > 0 else { break }
      answer.append(contentsOf: part[..<count])
    }
    return answer
  }

  /// Whether all bytes that the head promises are there.
  private static func isWhole(_ answer: Data) -> Bool {
    guard let end = answer.range(of: Data("\r\n\r\n".utf8)) else { return false }
    let head = String(decoding: answer[..<end.lowerBound], as: UTF8.self).lowercased()
    guard let length = head.firstMatch(of: /content-length: ?(\d+)/), let count = Int(length.1)
    else { return false }
    return answer.count - end.upperBound >= count
  }
}
#endif
