// SPDX-License-Identifier: Apache-2.0

// The service's interface.
//
//   GET    /notes[?done=true|false]   the notes
//   POST   /notes                     adds one: {"text": "…"}
//   GET    /notes/ID                  one
//   PATCH  /notes/ID                  changes one: {"text": "…", "isDone": true}
//   DELETE /notes/ID                  deletes one
//   GET    /notes/events              live updates, as server-sent events

#if Tools
import Foundation
import HTTPTypes
import Hummingbird
import RealmSwift

/// The routes of the notes.
enum NoteRoutes {
  static func router(_ store: NoteStore) -> Router<BasicRequestContext> {
    let router = Router()
    let notes = router.group("notes")
    notes.get { request, _ in
      await store.notes(isDone: request.uri.queryParameters["done"].map { $0 == "true" })
    }
    notes.post { request, context in
      let input = try await request.decode(as: NoteInput.self, context: context)
      guard let text = input.text, !text.isEmpty else {
        throw HTTPError(.badRequest, message: "A note needs a 'text'.")
      }
      let note = try await store.add(text)
      return EditedResponse(status: .created, response: note)
    }
    notes.get("events") { request, _ in
      events(of: store, for: request)
    }
    notes.get(":id") { _, context in
      guard let note = try await store.note(id(context)) else { throw HTTPError(.notFound) }
      return note
    }
    notes.patch(":id") { request, context in
      let input = try await request.decode(as: NoteInput.self, context: context)
      guard let note = try await store.change(id(context), input) else {
        throw HTTPError(.notFound)
      }
      return note
    }
    notes.delete(":id") { _, context in
      guard try await store.delete(id(context)) else { throw HTTPError(.notFound) }
      return HTTPResponse.Status.noContent
    }
    return router
  }

  private static func id(_ context: BasicRequestContext) throws -> ObjectId {
    let text = try context.parameters.require("id")
    guard let id = try? ObjectId(string: text) else {
      throw HTTPError(.badRequest, message: "'\(text)' is no identifier of a note.")
    }
    return id
  }

  /// The answer that goes on until the client closes the connection.
  private static func events(of store: NoteStore, for request: Request) -> Response {
    let last = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        // A client that does not read is left behind, and goes on from the last event that it got.
        let (stream, continuation) = AsyncStream.makeStream(
          of: String.self, bufferingPolicy: .bufferingOldest(1000))
        await store.listen(continuation, since: last.flatMap(NoteEvent.token))
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await text in stream { try await writer.write(ByteBuffer(string: text)) }
        } onInboundClosed: {
          continuation.finish()
        }
        try await writer.finish(nil)
      })
  }
}
#endif
