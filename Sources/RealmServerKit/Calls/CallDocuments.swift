// SPDX-License-Identifier: Apache-2.0

// Calls of collections by the server's own code.

#if Server
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSwift
import RealmSyncProtocol

/// Makes the calls of a function.
struct CallDocuments: MongoCaller {
  private let call: FunctionCall
  private let asSystem: Bool

  init(_ call: FunctionCall, asSystem: Bool) {
    self.call = call
    self.asSystem = asSystem
  }

  func call(_ name: String, _ arguments: [BSONElement]) async throws(AppFailure) -> BSONValue {
    do throws(DocumentError) {
      return try await call.callDocuments(name, .document(arguments), asSystem: asSystem)
    } catch {
      throw APIError(call: error).failure
    }
  }

  func watch(
    _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () async -> Void,
    _ onEvent: @escaping @Sendable (BSONValue) async -> Void
  ) async throws(AppFailure) {
    throw AppFailure.invalidCall(
      "A function ends before the changes of a collection: watch it from the server's program.")
  }
}

/// Makes the calls of the server's program, which has every right.
struct SystemDocuments: MongoCaller {
  private let service: DocumentService?
  private let hasEnded: @Sendable () -> Bool

  /// - Parameter hasEnded: Whether another server may have the folder.
  init(service: DocumentService?, hasEnded: @escaping @Sendable () -> Bool) {
    self.service = service
    self.hasEnded = hasEnded
  }

  private func usable() throws(AppFailure) -> DocumentService {
    guard let service, !hasEnded() else { throw .invalidCall("The server has ended.") }
    return service
  }

  func call(_ name: String, _ arguments: [BSONElement]) async throws(AppFailure) -> BSONValue {
    let service = try usable()
    do throws(DocumentError) {
      return try await service.call(name, [.document(arguments)], user: nil)
    } catch {
      throw APIError(call: error).failure
    }
  }

  func watch(
    _ arguments: [BSONElement], _ onOpen: @escaping @Sendable () async -> Void,
    _ onEvent: @escaping @Sendable (BSONValue) async -> Void
  ) async throws(AppFailure) {
    let service = try usable()
    do throws(DocumentError) {
      var events = try await service.watch([.document(arguments)], user: nil).makeEvents()
      await onOpen()
      while !Task.isCancelled, let group = try await events.next() {
        for event in group { await onEvent(event) }
      }
    } catch {
      throw APIError(call: error).failure
    }
    if Task.isCancelled { throw .cancelled }
  }
}

extension APIError {
  /// The failure of a call for clients.
  var failure: AppFailure {
    .service(name: name, message: message, status: status, logURL: nil)
  }

  /// The error of a call for clients.
  var appError: any Error { AppError.of(failure) }
}
#endif
