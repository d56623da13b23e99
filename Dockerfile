# `tribal serve` for a folder of documentation that is mounted at /documentation:
#
#   make dist
#   docker build --tag tribal .
#   docker run --publish 8080:8080 --user "$(id -u)" --volume "$PWD:/documentation" tribal
#
# Beyond one machine the server requires tokens: create one first, in that folder, with `tribal token create NAME`.
# It was written without a Docker engine: no one has built it yet.
FROM python:3.13-slim
COPY dist/*.whl /tmp/
RUN pip install --no-cache-dir "$(ls /tmp/*.whl)[chat,knowledge,model]" && rm /tmp/*.whl
USER nobody
WORKDIR /documentation
EXPOSE 8080
ENTRYPOINT ["tribal", "serve", "--host", "0.0.0.0"]
